"""The page of pixel-level systems says what was measured, and no more."""

import json

import numpy as np
import pytest

from benchmarks.pages.pixels.claims import ACTIONS, CLAIMS, reached, verdict
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
    moving = {"training": {"converged": False, "first": {}, "last": {}}}
    told = [entry("raw", action="1", secret="1"), entry("spact", action="1", secret="0") | moving]
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


def test_an_interval_is_over_seeds_and_people():
    """Everybody alike and seeds alike: nothing is uncertain; else it is as wide as the one, the other, or both."""
    people = np.repeat(np.arange(6), 2)
    same = np.full((3, 12), 0.5)
    by_seed = same + np.array([[-0.1], [0.0], [0.1]])
    by_person = same + np.where(people % 2, 0.1, -0.1)
    both = by_seed + by_person - same
    widths = [
        found.high - found.value
        for found in (reached(one, people) for one in (same, by_seed, by_person, both))
    ]
    assert widths[0] == pytest.approx(0)
    assert widths[1] == pytest.approx(
        4.303 * 0.1 / np.sqrt(3), rel=1e-3
    )  # Student's t with two degrees of freedom
    assert widths[2] > 0.05
    assert widths[3] == pytest.approx(np.hypot(widths[1], widths[2]))


def test_every_claim_is_about_rows_of_the_recipe():
    names = {row.name for row in load_recipe("pixels").rows}
    assert {name for claim in CLAIMS for name in (claim.higher, claim.lower)} <= names


def test_what_was_not_measured_is_named_and_costs_are_ratios(folder):
    page = render_page(folder)
    assert "Not measured yet: `downsample 4x`" in page
    assert (
        "| SPAct leaks less than raw video | SPAct, Table 1 | +1.00 (+1.00 to +1.00) | holds with 1" in page
    )
    assert "1 seed; a lead | `spact` |" in page
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
