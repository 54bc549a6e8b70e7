"""The page of pixel-level systems: verdicts of the tables that were run, the names of the others, costs as ratios."""

import shutil

import pytest

from benchmarks.pages.pixels.measured import write_json
from benchmarks.pages.pixels.page import RESULTS, render_page


@pytest.fixture
def page(tmp_path):
    """A page of two costs, and the results of two tables, of which one has no row of pixels."""
    cost = {"step_seconds": None, "parameters": 7, "peak_megabytes": 10, "videos": 5}
    seconds = {"latent": 0.5, "spact": 20, "vita": 3, "spact, papers' sizes": 100}
    costs = {name: {"epoch_seconds": one, **cost} for name, one in seconds.items()}
    costs["tedspad, papers' sizes"] = {"out_of_memory": True}
    write_json(tmp_path / "measured" / "costs.json", costs)
    for name in ("spact1", "table5"):
        shutil.copytree(RESULTS / name, tmp_path / "results" / name)
    return render_page(tmp_path / "measured", results=tmp_path / "results")


def test_tables_that_were_run_are_linked_and_the_others_named(page):
    assert "What each system keeps and leaks: [spact1](results/spact1.md)." in page
    assert "`veil bench spact2`" in page
    assert "`veil bench table1`" in page  # some of its rows rewrite videos
    assert "`veil bench spact1`" not in page
    assert "table5" not in page  # not of pixels


def test_claims_have_the_verdict_of_the_table_that_was_run(page):
    (line,) = [line for line in page.splitlines() if line.startswith("| SPAct leaks less than raw video.")]
    assert line.startswith("| SPAct leaks less than raw video. | SPAct, Table 1 | **")
    assert "secrets, from scratch: `spact` 0." in line
    assert line.endswith("| [spact1](results/spact1.md) |")
    assert "SPAct hides novel attributes" not in page  # of spact2, which was not run


def test_costs_are_ratios_to_the_latent_method(page):
    assert "| spact | 20.00 | 40 | – | 7 | 10 |" in page
    assert "| spact, papers' sizes | 100.00 | 200 | – | 7 | 10 |" in page


def test_a_system_that_no_memory_was_left_for_has_a_row_without_numbers(page):
    assert "| tedspad, papers' sizes | – | – | – | – | more than was free |" in page


def test_the_size_of_batches_is_said_where_systems_are_of_the_papers_sizes(page):
    assert "in batches of few videos" in page


def test_it_is_said_of_which_systems_an_epoch_costs_ten_times_the_latent_one(page):
    assert "10 times cheaper or more than one of: `spact`; `spact, papers' sizes`. Not of: `vita`." in page
