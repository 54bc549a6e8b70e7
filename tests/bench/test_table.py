"""The table's numbers, worked by hand."""

import numpy as np
import pytest

from latentveil.bench.convergence import RULE
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.scores import half_width, mean_and_half_width
from latentveil.bench.table import render_results

RECIPE = Recipe(
    title="By hand",
    secrets=("identity",),
    kinds=("temporal",),
    attacks=("lda", "mlp"),
    curve_attacks=("lda",),
    rows=(
        Row(name="a", curve="c"),
        Row(name="b", changes=("erasure.noise=1",), curve="c", full=False),
        Row(name="other", changes=("erasure.noise=2",), curve="d", full=False),
    ),
)


def entry(row, *, seed=0, leak, use, worst=None):
    """Raw features leak 0.9 (chance 0.1) and serve the task at 0.8 (chance 0.2)."""
    worst = leak if worst is None else worst
    found = {
        "secret": "identity",
        "kind": "temporal",
        "metric": "top1",
        "chance": 0.1,
        "attacks": {
            "lda": {"raw": {"value": 0.9}, "anonymized": {"value": leak}},
            "mlp": {"raw": {"value": 0.9}, "anonymized": {"value": worst}},
        },
        "worst": {"raw": {"value": 0.9}, "anonymized": {"value": worst}},
        "leakage_removed": 1 - (worst - 0.1) / 0.8,
    }
    task = {"chance": 0.2, "raw": {"value": 0.8}, "anonymized": {"value": use}, "kept": use / 0.8}
    return {"row": row.key, "name": row.name, "seed": seed, "readings": [found], "seen": task, "unseen": task}


def test_mean_and_half_width_by_hand():
    assert mean_and_half_width([0.5]) == "0.500"
    # Spread 0.1, over the root of 3, times 4.30 (Student, two degrees of freedom).
    assert mean_and_half_width([0.4, 0.5, 0.6]) == "0.500 ± 0.248"
    assert mean_and_half_width([0.3, 0.3]) == "0.300 ± 0.000"


@pytest.mark.parametrize(("count", "quantile"), [(2, 12.706), (12, 2.201), (30, 2.045)])
def test_the_interval_takes_the_quantile_of_its_number_of_seeds(count, quantile):
    """From the printed tables of Student's t, 95 % two-sided."""
    values = np.linspace(0, 1, count)
    assert half_width(values.tolist()) == pytest.approx(
        quantile * values.std(ddof=1) / np.sqrt(count), rel=1e-3
    )


def test_a_row_shows_the_worst_attack_and_both_shares():
    a = RECIPE.rows[0]
    table = render_results(RECIPE, [entry(a, leak=0.2, worst=0.3, use=0.6)])
    assert "| a | 0.300 (75% gone) | 0.600 (75.0% kept) | 0.600 (75.0% kept) |" in table
    assert "identity, clips: top1, 0.10." in table


def test_the_area_of_a_curve_is_that_of_the_union_of_its_rectangles():
    a, b, _ = RECIPE.rows
    # a: utility (0.8 - 0.2) / 0.6 = 1, privacy (0.9 - 0.5) / 0.8 = 0.5; b: 0.5 and 1. Union: 0.5 + 0.5 - 0.25.
    # The worst attack of a is not one of the curve's, which all points share.
    entries = [entry(a, leak=0.5, worst=0.9, use=0.8), entry(b, leak=0.1, use=0.5)]
    table = render_results(RECIPE, entries)
    assert "| c | 0.750 | a: 0.50 / 0.80; b: 0.10 / 0.50 |" in table
    assert "| d |" not in table


def test_a_seed_that_a_curve_lacks_does_not_count_as_area_zero():
    a, _, other = RECIPE.rows
    entries = [entry(a, seed=seed, leak=0.5, use=0.8) for seed in (0, 1)]
    entries.append(entry(other, seed=0, leak=0.1, use=0.5))
    table = render_results(RECIPE, entries)
    assert "| c | 0.500 ± 0.000 |" in table
    assert "| d | 0.500 |" in table


def test_a_seed_under_which_raw_features_only_guess_has_no_area():
    """The page of a run that had taken hours was refused for one such seed."""
    a, _, other = RECIPE.rows
    entries = [
        entry(a, leak=0.1, use=0.8),
        entry(a, seed=1, leak=0.1, use=0.2),
        entry(other, seed=1, leak=0.5, use=0.2),
    ]
    for at_chance in entries[1:]:
        at_chance["unseen"] = at_chance["unseen"] | {"raw": {"value": 0.2}}
    page = render_results(RECIPE, entries)
    assert "| c | 1.000 |" in page
    assert "| d | – |" in page


def test_a_secret_that_raw_features_do_not_show_has_no_share():
    found = entry(RECIPE.rows[0], leak=0.1, use=0.8)
    found["readings"][0]["leakage_removed"] = None
    assert "| a | 0.100 | 0.800 (100.0% kept)" in render_results(RECIPE, [found])


def test_shares_against_a_floor_of_features_that_say_nothing():
    a = RECIPE.rows[0]
    floor = Row(name="noise", changes=("erasure.noise=9",))
    recipe = RECIPE.model_copy(update={"rows": (a, floor), "floor": "noise"})
    entries = [
        entry(a, leak=0.3, use=0.8),
        entry(floor, leak=0.2, use=0.2),
        entry(floor, seed=1, leak=0.4, use=0.2),
    ]
    table = render_results(recipe, entries)
    # The floor is 0.3 on average: nothing more could be seen to be gone.
    assert "on `noise` it reaches identity, clips 0.30." in table
    assert "| a | 100% |" in table
    assert "| noise | 0.300" in table
    assert "| noise | 100%" not in table
    assert "say nothing" not in render_results(RECIPE, entries[:1])


def test_trainings_that_did_not_come_to_rest_are_named():
    a, b, _ = RECIPE.rows
    entries = [entry(a, leak=0.3, use=0.8), entry(b, leak=0.3, use=0.8)]
    assert "converged" not in render_results(RECIPE, entries)
    for found, rests in zip(entries, (True, False)):
        found["training"] = {"converged": rests}
    told = render_results(RECIPE, entries)
    assert f"1 of the 2 trained adapters converged, all but b (seed 0): {RULE}." in told


def test_a_recipe_without_curves_has_no_trade_off():
    recipe = RECIPE.model_copy(update={"rows": (Row(name="a"),)})
    assert "Trade-off" not in render_results(recipe, [entry(recipe.rows[0], leak=0.5, use=0.8)])
