"""A bench from features to entries: the raw row is the yardstick, and a stopped run goes on where it was."""

import json

import pytest

from latentveil.bench import runner
from latentveil.bench.data import BenchData
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.runner import run_recipe
from latentveil.bench.table import render_results
from latentveil.errors import CollapsedTrainingError, InputError, Notice

FIRST_SEED, SECOND_SEED = 0, 1


@pytest.fixture(scope="module")
def results(recipe, toy_with_six_actions, tmp_path_factory):
    """The file of a run over two seeds."""
    path = tmp_path_factory.mktemp("bench") / "run" / "results.jsonl"
    toy = toy_with_six_actions
    run_recipe(recipe, BenchData(toy.features, toy.labels), seeds=[FIRST_SEED, SECOND_SEED], results=path)
    return path


@pytest.fixture
def run(recipe, toy_with_six_actions, monkeypatch):
    """Run the recipe; gives the entries, and the rows and seeds that were measured for it."""
    measured = []
    real = Arena.measure

    def spy(arena, recipe, row, adapter):
        measured.append((row.name, arena.seed))
        return real(arena, recipe, row, adapter)

    monkeypatch.setattr(Arena, "measure", spy)

    def start(path, **changes):
        toy = toy_with_six_actions
        seeds = changes.pop("seeds", [FIRST_SEED, SECOND_SEED])
        changed = recipe.model_copy(update=changes)
        return run_recipe(changed, BenchData(toy.features, toy.labels), seeds=seeds, results=path), measured

    return start


def test_raw_features_lose_nothing_and_the_default_hides_people(results):
    for line in results.read_text().splitlines():
        entry = json.loads(line)
        (identity,) = entry["readings"]
        assert (identity["secret"], identity["kind"]) == ("identity", "temporal")
        if entry["name"] == "raw":
            assert identity["leakage_removed"] == pytest.approx(0, abs=1e-9)
            assert entry["seen"]["kept"] == entry["unseen"]["kept"] == 1
        if entry["name"] == "veil":
            assert identity["leakage_removed"] > 0.3
            assert entry["seen"]["kept"] > 0.9


def test_what_is_done_is_not_done_again(results, run):
    before = results.read_text()
    entries, measured = run(results)
    assert measured == []
    assert results.read_text() == before
    assert entries == [json.loads(line) for line in before.splitlines()]


def test_a_run_that_was_stopped_in_the_middle_of_a_line_gives_the_same_results(results, run, tmp_path):
    lines = results.read_text().splitlines(keepends=True)
    stopped = tmp_path / "results.jsonl"
    stopped.write_text("".join(lines[:4]) + lines[4][:50])
    entries, measured = run(stopped)
    assert measured == [("pca 2", SECOND_SEED), ("veil", SECOND_SEED)]
    assert stopped.read_text() == results.read_text()
    assert entries == [json.loads(line) for line in lines]


def test_a_row_that_collapses_is_left_out_and_the_others_go_on(run, tmp_path, monkeypatch):
    real = runner._measure

    def collapse(arena, recipe, row, **options):
        if (row.name, arena.seed) == ("raw", SECOND_SEED):
            raise CollapsedTrainingError("outputs must vary, got none.")
        return real(arena, recipe, row, **options)

    monkeypatch.setattr(runner, "_measure", collapse)
    with pytest.warns(Notice, match="'raw' collapsed under seed 1 and is left out: outputs must vary"):
        entries, measured = run(tmp_path / "results.jsonl")
    assert ("raw", SECOND_SEED) not in measured
    assert [name for name, seed in measured if seed == SECOND_SEED]
    assert {(entry["name"], entry["seed"]) for entry in entries} == set(measured)


def test_only_the_rows_and_seeds_of_the_recipe_are_given(results, run, recipe):
    entries, measured = run(results, rows=recipe.rows[1:2], seeds=[SECOND_SEED])
    assert measured == []
    assert [(entry["name"], entry["seed"]) for entry in entries] == [("pca 2", SECOND_SEED)]


@pytest.mark.parametrize("change", [{"num_seen": 2}, {"attacks": ("linear",)}, {"kinds": ("static",)}])
def test_results_of_another_protocol_are_refused(results, run, change):
    with pytest.raises(InputError, match="results must be of this recipe, got row 'raw'"):
        run(results, **change)


def test_results_of_an_older_layout_are_refused(results, run, tmp_path):
    """Secrets were kept under glued names once (`identity_static`)."""
    old = tmp_path / "results.jsonl"
    entries = [json.loads(line) for line in results.read_text().splitlines()]
    for entry in entries:
        entry["secrets"] = {"identity": entry.pop("readings")[0]}
    old.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    with pytest.raises(InputError, match="move the old results away"):
        run(old)


def test_progress_counts_rows_and_seeds(recipe, toy_with_six_actions, tmp_path):
    toy, steps = toy_with_six_actions, []
    one_row = recipe.model_copy(update={"rows": recipe.rows[:1]})
    run_recipe(
        one_row,
        BenchData(toy.features, toy.labels),
        seeds=[0, 1],
        results=tmp_path / "results.jsonl",
        on_progress=steps.append,
    )
    assert [(step.done, step.total) for step in steps] == [(0, 2), (1, 2), (1, 2), (2, 2)]
    assert steps[-1].note.startswith("seed 1  raw  identity, clips 1.000")


def test_results_of_other_features_are_refused(results, recipe, toy_with_six_actions):
    toy = toy_with_six_actions
    other = toy.features.with_feature(2 * toy.features.feature)
    with pytest.raises(InputError, match="under other settings, features"):
        run_recipe(recipe, BenchData(other, toy.labels), seeds=[FIRST_SEED], results=results)


def test_the_table_of_a_run_has_every_row_and_curve(results, run, recipe):
    entries, _ = run(results)
    table = render_results(recipe, entries)
    assert "mean over seeds 0, 1" in table
    assert "| raw | 1.000 ± 0.000 (0% gone) |" in table
    assert "| pca 2 |" not in table  # a point of a curve only
    assert [line.split(" | ")[0] for line in table.splitlines()[-2:]] == ["| pca", "| veil"]
