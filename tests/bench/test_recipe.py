"""Recipes: what ships can run, and a slip of the pen is refused by name before hours are spent."""

import re
from pathlib import Path

import pytest

from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe import RECIPES, Recipe, Row, known_recipes, load_recipe
from latentveil.errors import InputError

HEAD = 'title = "t"\n'
ROW = '[[rows]]\nname = "a"\n'
PAPER = '[[rows]]\nname = "paper"\npreset = "paper"\n'
RAW = '[[rows]]\nname = "raw"\nchanges = ["method=identity"]\n'


@pytest.mark.parametrize("name", sorted(path.stem for path in RECIPES.glob("*.toml")))
def test_every_shipped_recipe_loads_and_starts_from_raw_features(name):
    recipe = load_recipe(name)
    assert recipe.title
    if not PROTOCOLS.get(recipe.protocol).needs_data:
        return  # it computes what it says of adapters
    assert recipe.rows[0].config(seed=3).method.name == "identity"
    assert recipe.rows[0].config(seed=3).settings.train.seed == 3


def load(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_recipe(str(path))


def test_a_recipe_of_the_users_own(tmp_path):
    recipe = load(tmp_path, HEAD + RAW + '[[rows]]\nname = "b"\npreset = "paper"\nfull = false\n')
    assert [row.key for row in recipe.rows] == ["raw veil method=identity", "b paper"]
    assert recipe.rows[1].config(seed=0).settings.loss.symmetric is False


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEAD + 'atacks = ["lda"]\n' + RAW, r"mine.toml: atacks must be a field that recipes have"),
        (HEAD + RAW + 'kurve = "a"\n', r"mine.toml: rows\[0\].kurve must be a field that recipes have"),
        (
            HEAD + RAW + ROW + 'preset = "vail"\n',
            r"mine.toml: rows\[1\].preset must be one of .*, got 'vail'",
        ),
        (HEAD + RAW + ROW + "preset = 3\n", r"mine.toml: rows\[1\].preset must be a string, got 3\.$"),
        (HEAD + RAW + ROW + 'full = "maybe"\n', r"rows\[1\].full must be true or false, got 'maybe'\.$"),
        (HEAD + RAW + "[[rows]]\n", r"rows\[1\].name must be given, got nothing\.$"),
        (HEAD + "rows = [3]", r"rows\[0\] must be a table \[\[rows\]\], got 3\.$"),
        (
            HEAD + RAW + 'checkpoints = ["x"]\n',
            r"rows\[0\].checkpoints\[0\] must be a whole number, got 'x'\.$",
        ),
        (HEAD + "attacks = 3\n" + RAW, "attacks must be a string or a list, got 3"),
        (
            HEAD + 'attacks = ["lda", "mpl"]\ncurve_attacks = ["lda"]\n' + RAW,
            "mine.toml: attack must be .*'mpl'",
        ),
        (HEAD + 'attacks = ["linaer"]\n' + RAW, "mine.toml: attack must be .*'linaer'"),
        (HEAD + 'curve_attacks = ["linaer"]\n' + RAW, "mine.toml: attack must be .*'linaer'"),
        (
            HEAD + 'attacks = ["lda"]\ncurve_attacks = ["lda", "linear"]\n' + RAW,
            "mine.toml: attacks must include the curve_attacks, got no 'linear'. Add it",
        ),
        (HEAD + 'kinds = ["moving"]\n' + RAW, "kinds must be among temporal, static, got moving"),
        (HEAD + "secrets = []\n" + RAW, "secrets and rows must be one or more"),
        (RAW, "mine.toml: title must be given, got nothing"),
        (HEAD + RAW + ROW + 'changes = ["erasure.kep=3"]\n', r"rows\[1\] \('a'\): .*erasure.kep"),
        (HEAD + '[[rows]]\nname = "a"\nchanges = ["erasure.keep=many"]\n', "'many'"),
        (HEAD + '[[rows]]\nname = "a"\nchanges = ["method=magic"]\n', "'magic'"),
        (HEAD + "num_seen = 1\n" + RAW, "num_seen must be 2 or more, got 1"),
        (HEAD + RAW + RAW, "'raw' twice"),
        (HEAD + RAW + RAW.replace("raw", "Raw!"), "'raw' twice"),
        (HEAD + 'floor = "zeros"\n' + RAW, "floor must name a full row, got 'zeros'"),
        (
            HEAD + PAPER + "checkpoints = [100]\n",
            r"rows\[0\].checkpoints must rise within 1 to 99, got \[100\]",
        ),
        (HEAD + PAPER + "checkpoints = [5, 2]\n", "must rise within 1 to 99"),
        (
            HEAD + PAPER + 'changes = ["train.schedule=linear"]\ncheckpoints = [5]\n',
            r"rows\[0\].checkpoints must be of a training at a constant rate, got train.schedule=linear",
        ),
        (HEAD + 'attacks = ["lda"]\ncurve_attacks = ["mlp"]\n' + RAW, "no 'mlp'"),
        ("title = ", "must be a recipe"),
    ],
)
def test_mistakes_are_named(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint) as raised:
        load(tmp_path, text)
    assert "pydantic" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_row_may_ask_for_motion_where_its_method_can_keep_it(tmp_path):
    recipe = load(tmp_path, HEAD + RAW + '[[rows]]\nname = "b"\nmotion = true\n')
    assert [row.motion for row in recipe.rows] == [False, True]
    assert recipe.rows[1].key == "b veil motion"
    with pytest.raises(InputError, match="to keep motion, got 'splavu'"):
        load(tmp_path, HEAD + RAW + '[[rows]]\nname = "b"\npreset = "paper"\nmotion = true\n')


def test_checkpoints_are_rows_of_their_own_before_the_row(tmp_path):
    recipe = load(
        tmp_path,
        HEAD + RAW + '[[rows]]\nname = "p"\npreset = "paper"\ncurve = "c"\n'
        'changes = ["train.epochs=9", "loss.static=2"]\ncheckpoints = [2, 5]\n',
    )
    assert [row.name for row in recipe.all_rows] == ["raw", "p, epoch 2", "p, epoch 5", "p"]
    early = recipe.all_rows[1]
    assert (early.part_of, early.full, early.curve) == ("p", False, "")
    assert early.config(seed=1).settings.train.epochs == 2
    assert early.config(seed=1).settings.loss == recipe.rows[1].config(seed=1).settings.loss
    # How long the row trains in all does not make its beginning another one.
    longer = recipe.rows[1].model_copy(update={"changes": ("train.epochs=20", "loss.static=2")})
    assert longer.after(2).key == early.key


def test_an_unknown_recipe_lists_the_known_ones():
    with pytest.raises(InputError, match=r"one of .*lsa64.* got 'reel'"):
        load_recipe("reel")


DOCS = Path(__file__).parents[2] / "docs" / "recipes.md"


def test_the_example_of_the_docs_is_a_recipe(tmp_path):
    (example,) = re.findall(r"```toml\n(.*?)```", DOCS.read_text(), flags=re.DOTALL)
    recipe = load(tmp_path, example)
    assert len(recipe.rows) > 2
    assert recipe.floor in [row.name for row in recipe.rows]


def test_the_docs_tell_every_field_and_no_other():
    _, _, fields = DOCS.read_text().partition("## Fields of a recipe")
    told = set(re.findall(r"^\| `(\w+)` \|", fields, flags=re.MULTILINE))
    assert told == (Recipe.model_fields.keys() | Row.model_fields.keys()) - {"part_of"}


def test_the_docs_name_every_recipe_and_protocol():
    page = DOCS.read_text()
    for name in (*known_recipes(), *PROTOCOLS.names()):
        assert f"`{name}`" in page
    for protocol in PROTOCOLS.all():
        line = re.findall(rf"^\| `{protocol.name}` \|.*$", page, flags=re.MULTILINE)[0]
        assert all(option in line for option in protocol.Options.model_fields)


@pytest.mark.parametrize("name", known_recipes())
def test_every_recipe_loads_and_claims_columns_that_its_paper_or_plot_knows(name):
    recipe = load_recipe(name)
    assert recipe.raw or not PROTOCOLS.get(recipe.protocol).needs_data
    for row in recipe.rows:
        assert not row.paper or recipe.paper
        assert set(row.paper) <= set(recipe.paper.columns if recipe.paper else ())


def test_a_claim_may_name_a_row_that_is_not_run():
    recipe = load_recipe("urfd")
    some = recipe.model_copy(update={"rows": recipe.rows[:2]})
    assert some.raw_of("veil, motion, no task named") == ""
    assert recipe.raw_of("veil, motion, no task named") == "raw"
