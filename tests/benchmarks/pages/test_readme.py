"""The README's table: from what is kept, without what can carry no headline, and nothing else is touched."""

import json

import pytest

from benchmarks.pages import readme
from benchmarks.pages.readme import Column
from latentveil.bench.recipe import load_recipe
from latentveil.bench.scores import Score
from latentveil.errors import InputError

GENDER, LINKING = "gender, stills", "linking, any recording"


@pytest.fixture
def measured(tmp_path):
    """Two seeds of two rows of `wlasl100`: gender has room, linking is at the ceiling."""
    for seed in (0, 1):
        entries = [
            _entry("raw", seed, gender=0.8 + seed / 10, linking=1.0),
            _entry("veil", seed, gender=0.6 + seed / 10, linking=0.7),
        ]
        path = tmp_path / "measured" / "wlasl100" / f"seed-{seed}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entries))
    return tmp_path / "measured"


def _entry(name, seed, *, gender, linking):
    row = next(row for row in load_recipe("wlasl100").rows if row.name == name)
    scores = {
        GENDER: Score(gender, "low", gender - 0.1, gender, chance=0.4, people=20, videos=300, recordings=7),
        LINKING: Score(linking, "low", linking, linking, chance=0.5, people=20),
    }
    plain = {column: score.to_dict() for column, score in scores.items()}
    return {"row": row.key, "name": name, "seed": seed, "scores": plain}


def test_the_table_takes_the_place_of_the_old_one(measured, tmp_path):
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")
    readme.main(["--measured", str(measured), "-o", str(page)])
    text = page.read_text()
    assert text.startswith("before\n<!-- results -->\n| features | signers: gender |\n")
    assert text.endswith("<!-- end of results -->\nafter\n")
    assert "old" not in text
    assert "| raw | 0.850 ± 0.635 |\n| veil | 0.650 ± 0.635 |\n| guessing | 0.400 |" in text
    assert "| people, videos, recordings | 20, 300, 7 |" in text


def test_a_column_at_the_ceiling_is_no_headline_and_that_is_said(measured):
    text = readme.results_table(measured)
    assert "left out: signers: linking (raw features are at the ceiling (1.000))" in text
    assert "transport" not in text


def test_without_results_the_page_stays_as_it_is(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("<!-- results -->\nold\n<!-- end of results -->\n")
    with pytest.raises(InputError, match="Run `make bench-results` first"):
        readme.main(["--measured", str(tmp_path / "nothing"), "-o", str(page)])
    assert "old" in page.read_text()


@pytest.mark.parametrize("column", readme.COLUMNS, ids=lambda column: f"{column.recipe}: {column.name}")
def test_every_column_is_one_that_its_recipe_measures(column: Column):
    recipe = load_recipe(column.recipe)
    known = {
        "attributes, best attack": bool(recipe.options.get("attributes")),
        "seen actions": recipe.options.get("num_seen", 0) > 0 and not recipe.options.get("known_share"),
        "unseen actions": recipe.options.get("num_seen", 0) > 0 and not recipe.options.get("known_share"),
        "linking, any recording": recipe.options.get("linking", False),
        "linking pooled, any recording": recipe.options.get("linking", False),
    } | {
        f"{secret}, {'clips' if kind == 'temporal' else 'stills'}": True
        for secret in recipe.secrets
        for kind in recipe.kinds
    }
    assert known[column.name]
