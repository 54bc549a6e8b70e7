"""The page of pixel-level systems links the tables that were run, names the others, and gives costs as ratios."""

import pytest

from benchmarks.pages.pixels.measured import write_json
from benchmarks.pages.pixels.page import render_page


@pytest.fixture
def page(tmp_path):
    """A page of two costs, beside the results of one table."""
    cost = {"step_seconds": None, "parameters": 7, "peak_megabytes": 10, "videos": 5}
    seconds = {"latent": 0.5, "spact": 20, "spact, papers' sizes": 100}
    costs = {name: {"epoch_seconds": one, **cost} for name, one in seconds.items()}
    costs["tedspad, papers' sizes"] = {"out_of_memory": True}
    write_json(tmp_path / "measured" / "costs.json", costs)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "spact1.md").touch()
    return render_page(tmp_path / "measured", results=tmp_path / "results")


def test_tables_that_were_run_are_linked_and_the_others_named(page):
    assert "which of the papers' claims hold: [spact1](results/spact1.md)." in page
    assert "`veil bench spact2`" in page
    assert "`veil bench spact1`" not in page
    assert "table5" not in page  # not of pixels


def test_costs_are_ratios_to_the_latent_method(page):
    assert "| spact | 20.00 | 40 | – | 7 | 10 |" in page
    assert "| spact, papers' sizes | 100.00 | 200 | – | 7 | 10 |" in page


def test_a_system_that_no_memory_was_left_for_has_a_row_without_numbers(page):
    assert "| tedspad, papers' sizes | – | – | – | – | more than the machine had |" in page


def test_the_size_of_batches_is_said_where_systems_are_of_the_papers_sizes(page):
    assert "in batches of few videos" in page
