"""`veil bench all`: every recipe for some data, one after the other, and the verdicts."""

import sys

import pytest

from latentveil.bench import all as bench_all
from latentveil.bench.all import recipes_for, recipes_within, render_verdicts, run_all
from latentveil.bench.recipe import known_recipes, load_recipe
from latentveil.bench.spent import read_spent
from latentveil.cli.main import main
from latentveil.cli.statuses import WRONG_USE
from latentveil.errors import InputError


def test_every_recipe_for_actors_is_run_and_none_that_needs_other_data():
    found = recipes_for("actors")
    assert {"table1", "fig4", "pixels", "spact1", "penalty8", "table13"} <= set(found)
    assert {load_recipe(name).data for name in found} == {"actors", "none"}
    assert found == [name for name in known_recipes() if name in found]


def test_data_that_no_recipe_is_for_are_refused():
    with pytest.raises(InputError, match=r"data must be one of .*actors.* for all recipes, got 'cats'"):
        recipes_for("cats")


def test_all_recipes_are_timed_and_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_all, "recipes_for", lambda data: ["table13"])
    [run] = run_all(data="actors", output=tmp_path, quick=True)
    assert read_spent(tmp_path / "table13")["quick"].entries == len(run.entries)
    assert render_verdicts([run]).startswith("| claim | of | verdict | numbers |")


def test_real_is_every_recipe_for_the_sets_that_are_there(tmp_path):
    for name in ("lsa64", "wlasl100+peta", "cats"):
        (tmp_path / name / "raw.store").mkdir(parents=True)
    (tmp_path / "thetis").mkdir()  # not prepared
    found = recipes_within(tmp_path)
    assert found == [
        ("bias_lsa64", tmp_path / "lsa64"),
        ("lsa64", tmp_path / "lsa64"),
        ("peta", tmp_path / "wlasl100+peta"),
        ("strangers", tmp_path / "wlasl100+peta"),
    ]


def test_real_needs_a_set_that_a_recipe_is_for(tmp_path):
    with pytest.raises(
        InputError, match=r"data must be a folder with a sub-folder of one of the sets .*lsa64"
    ):
        recipes_within(tmp_path)


def test_rows_are_chosen_of_one_recipe_alone(tmp_path, monkeypatch, capsys):
    command = ["veil", "bench", "all", "--data", "actors", "--only", "raw", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == WRONG_USE
    assert "--only must be left out for all recipes, got 'raw'" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
