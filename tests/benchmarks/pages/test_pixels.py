"""The page of pixel-level systems says what was measured, and no more."""

import json

import pytest

from benchmarks.pages.pixels.claims import ACTIONS, CLAIMS, verdict
from benchmarks.pages.pixels.page import render_page
from benchmarks.pages.pixels.store import collect, read_entries, write_json
from latentveil.bench.pixels.hits import LINEAR
from latentveil.bench.recipe import load_recipe
from latentveil.errors import InputError

PEOPLE = [number // 2 for number in range(12)]


def entry(name, *, action, secret, seed=0, rate=1):
    def hits(names, right):
        return {"people": PEOPLE, "right": dict.fromkeys(names, right * 12), "chance": 0.25}

    return {
        "row": name,
        "name": name,
        "seed": seed,
        "asked": {},
        "made_for": {
            "method": "m",
            "tasks": [],
            "data": {},
            "settings": {"train": {"seed": seed, "rate": rate}},
        },
        "hits": {ACTIONS: hits(["action"], action), LINEAR: hits(["gender", "skin"], secret)},
    }


@pytest.fixture
def folder(tmp_path):
    """Rows of two methods under one seed, and costs."""
    results = tmp_path / "results.jsonl"
    told = [entry("raw", action="1", secret="1"), entry("spact", action="1", secret="0")]
    results.write_text("".join(json.dumps(one) + "\n" for one in told))
    collect(results, tmp_path)
    cost = {"step_seconds": None, "parameters": 7, "peak_megabytes": 10, "videos": 5}
    write_json(
        tmp_path / "costs.json",
        {"latent": {"epoch_seconds": 0.5, **cost}, "spact": {"epoch_seconds": 20, **cost}},
    )
    return tmp_path


@pytest.mark.parametrize(
    ("low", "high", "seeds", "said"),
    [
        (0.1, 0.2, 3, "holds"),
        (0.1, 0.2, 1, "holds with 1 seed; a lead"),
        (-0.2, -0.1, 2, "does not hold with 2 seeds; a lead"),
        (-0.1, 0.2, 3, "cannot be told"),
    ],
)
def test_the_rule(low, high, seeds, said):
    assert verdict(low, high, seeds=seeds) == said


def test_every_claim_is_about_rows_of_the_recipe():
    names = {row.name for row in load_recipe("pixels").rows}
    assert {name for claim in CLAIMS for name in (claim.higher, claim.lower)} <= names


def test_what_was_not_measured_is_named_and_costs_are_ratios(folder):
    page = render_page(folder)
    assert "Not measured yet: `downsample 4x`" in page
    assert "| SPAct leaks less than raw video | SPAct, Table 1 | +1.00" in page
    assert "| spact | 20.00 | 40 | – | 7 | 10 |" in page
    assert "12 videos of 6 people" in page


def test_seeds_add_up_and_other_settings_are_refused(folder):
    results = folder / "more.jsonl"
    results.write_text(json.dumps(entry("spact", action="0", secret="0", seed=1)) + "\n")
    collect(results, folder)
    assert sorted(read_entries(folder)["spact"]) == [0, 1]
    assert "| spact | 2 | 0.50" in render_page(folder)
    results.write_text(json.dumps(entry("spact", action="0", secret="0", seed=2, rate=2)) + "\n")
    with pytest.raises(InputError, match="must be of the settings that are kept"):
        collect(results, folder)
