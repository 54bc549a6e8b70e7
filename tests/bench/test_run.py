"""One call from a recipe's file and a folder of data to results and a table, and the command that makes it."""

import json
from functools import partial

import pytest
from typer.testing import CliRunner

from latentveil.bench.index import render_spent
from latentveil.bench.measured import keep_spent, read_kept_spent
from latentveil.bench.recipe import load_recipe
from latentveil.bench.run import run_bench
from latentveil.bench.spent import Spent, add_spent, read_spent
from latentveil.cli import main
from latentveil.errors import InputError
from latentveil.store.one_run import one_run_in
from latentveil.testing.recipes import small_recipe

RECIPE = small_recipe(secret="identity", attacks=("lda", "linear"), num_seen=3, components=12)


@pytest.fixture(scope="module")
def folder(toy_with_six_actions, write_store, tmp_path_factory):
    """A folder for --data, with a recipe beside it."""
    path = tmp_path_factory.mktemp("bench")
    write_store(path / "raw.store", toy_with_six_actions.features)
    toy_with_six_actions.labels.write(path / "labels.csv")
    (path / "mine.toml").write_text(RECIPE)
    return path


def test_a_quick_run_takes_one_seed_and_the_curves_attacks(folder, tmp_path):
    found = run_bench(str(folder / "mine.toml"), data=folder, output=tmp_path, quick=True)
    assert found.folder == tmp_path / "mine"
    assert {path.name for path in found.folder.iterdir()} == {
        "quick.jsonl",
        "adapters",
        "quick.md",
        "quick.csv",
        "quick.svg",
        "spent.json",
    }
    assert (found.folder / "quick.md").read_text() == found.table
    assert [(entry["name"], entry["seed"]) for entry in found.entries] == [("raw", 0), ("pca 2", 0)]
    assert all(set(entry["readings"][0]["attacks"]) == {"lda"} for entry in found.entries)
    assert found.entries[0]["made_for"]["data"]["shape"][1] == 12  # principal components


@pytest.mark.parametrize("protocol", ["seen_unseen", "tasks"])
def test_a_quick_run_leaves_the_table_of_a_whole_one_alone_and_says_that_it_is_quick(
    folder, tmp_path, protocol
):
    text = RECIPE if protocol == "seen_unseen" else RECIPE.replace("num_seen = 3\n", "")
    (tmp_path / "mine.toml").write_text(f'protocol = "{protocol}"\n{text}')
    run = partial(run_bench, str(tmp_path / "mine.toml"), data=folder, output=tmp_path, only=["raw"])
    whole = run(seeds=[1, 2])
    before = {name: (whole.folder / name).read_bytes() for name in ("table.md", "table.csv", "table.svg")}
    quick = run(quick=True)
    assert {name: (whole.folder / name).read_bytes() for name in before} == before
    title = load_recipe(str(tmp_path / "mine.toml")).title
    assert f"{title}, quick run" in quick.table.splitlines()[0]
    assert "A quick run: one seed, few attacks, short trainings, few data." in quick.table.splitlines()[2]
    assert "quick" not in whole.table
    assert ("(quick.svg)" in quick.table) == ("(table.svg)" in whole.table)
    assert "quick run" in (quick.folder / "quick.svg").read_text()
    assert (quick.folder / "quick.csv").read_text().startswith("row,column,mean")


def test_what_runs_took_adds_up_and_nothing_is_counted_for_what_was_there(folder, tmp_path):
    run = partial(run_bench, str(folder / "mine.toml"), data=folder, output=tmp_path)
    run(quick=True)
    first = read_spent(tmp_path / "mine")["quick"]
    assert first.entries == 2
    assert first.seconds > 0
    assert first.core_seconds > 0
    run(quick=True)
    assert read_spent(tmp_path / "mine") == {"quick": first}
    run(seeds=[1], only=["raw"])
    run(seeds=[2], only=["raw"])
    spent = read_spent(tmp_path / "mine")
    assert spent["quick"] == first
    assert spent["whole"].entries == 2


def test_what_runs_took_is_kept_by_recipe(tmp_path):
    runs, kept = tmp_path / "runs", tmp_path / "kept"
    for name, entries in (("table5", 3), ("table9", 4)):
        (runs / name).mkdir(parents=True)
        add_spent(runs / name, "quick", Spent(20.0, 30.0, entries))
    kept.mkdir()
    keep_spent(runs, kept)
    add_spent(runs / "table9", "quick", Spent(1.0, 2.0, 1))
    (runs / "table5" / "spent.json").unlink()
    keep_spent(runs, kept)
    assert read_kept_spent(kept) == {
        "table5": {"quick": Spent(20.0, 30.0, 3)},
        "table9": {"quick": Spent(21.0, 32.0, 5)},
    }
    page = "\n".join(render_spent(read_kept_spent(kept)))
    assert "2 recipes, 1.0 minutes of one core" in page
    assert "| table9 | 32 | 5 | – | – |" in page
    untimed = page[page.index("not timed yet") :]
    assert "table8" in untimed
    assert "table9" not in untimed


def test_a_quick_run_leaves_slow_rows_out_and_takes_quick_options(folder, tmp_path):
    slow = RECIPE.replace('name = "pca 2"', 'name = "pca 2"\nquick = false')
    other = 'protocol = "tasks"\nquick_options = { tasks = ["action"] }\n' + slow.replace(
        "num_seen = 3\n", ""
    )
    (tmp_path / "slow.toml").write_text(other + '\n[options]\ntasks = ["action", "anomaly"]\n')
    run = partial(run_bench, str(tmp_path / "slow.toml"), data=folder, output=tmp_path, quick=True)
    found = run()
    assert [entry["name"] for entry in found.entries] == ["raw"]
    assert found.measured.options == {"tasks": ["action"]}
    assert [entry["name"] for entry in run(only=["pca 2"]).entries] == ["pca 2"]


def test_wrong_quick_options_are_named(tmp_path):
    (tmp_path / "wrong.toml").write_text('quick_options = { tsks = ["action"] }\nprotocol = "tasks"' + RECIPE)
    with pytest.raises(InputError, match="quick_options: tsks"):
        load_recipe(str(tmp_path / "wrong.toml"))


def test_rows_and_seeds_can_be_chosen(folder, tmp_path):
    recipe = str(folder / "mine.toml")
    found = run_bench(recipe, data=folder, output=tmp_path, seeds=[4], only=["raw"])
    assert [(entry["name"], entry["seed"]) for entry in found.entries] == [("raw", 4)]
    with pytest.raises(InputError, match="only must name rows of the recipe, got 'rw'"):
        run_bench(recipe, data=folder, output=tmp_path, only=["rw"])
    with pytest.raises(InputError, match="seeds must be one or more"):
        run_bench(recipe, data=folder, output=tmp_path, seeds=0)


def test_two_benches_cannot_write_one_folder(folder, tmp_path):
    with (
        one_run_in(tmp_path / "mine"),
        pytest.raises(InputError, match="must have one writing run at a time"),
    ):
        run_bench(str(folder / "mine.toml"), data=folder, output=tmp_path, quick=True)


@pytest.fixture(scope="module")
def veil():
    """The program; its subcommands can be added once only."""
    if not main.app.registered_commands:
        main._add_subcommands()
    return lambda *words: CliRunner().invoke(main.app, [str(word) for word in words])


def test_the_command_prints_the_table_alone_and_the_rest_to_standard_error(folder, veil, tmp_path):
    words = (
        "bench",
        folder / "mine.toml",
        "--data",
        folder,
        "-o",
        tmp_path,
        "--quick",
        "--only",
        "pca 2; raw",
    )
    done = veil(*words)
    assert done.exit_code == 0, done.output
    assert done.stdout == (tmp_path / "mine" / "quick.md").read_text() + "\n"
    assert "rows of the bench: 2 of 2" in done.stderr
    assert f"results and table in {tmp_path / 'mine'}" in done.stderr
    again = veil(*words, "--json")
    assert [entry["name"] for entry in json.loads(again.stdout)["results"]] == ["raw", "pca 2"]


def test_data_must_be_given(folder, veil):
    done = veil("bench", folder / "mine.toml")
    assert done.exit_code != 0
    assert "--data" in done.output
