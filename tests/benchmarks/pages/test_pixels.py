"""The page of pixel-level systems says what the cells say, and no more."""

import pytest

from benchmarks.pages.pixels.page import render_page, verdict
from benchmarks.pages.pixels.rows import CLAIMS, ROWS, SECRETS


def cell(action, secret, *, seconds=None):
    people = [f"p{number // 2}" for number in range(12)]
    return {
        "people": people,
        "action": [action] * 12,
        "secrets": {"linear on features": {name: [secret] * 12 for name in SECRETS}},
        "chance": dict.fromkeys(("action", *SECRETS), 0.25),
        "cost": {"epoch_seconds": seconds, "peak_megabytes": 10.0, "notices": [], "parameters": 7},
    }


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.1, 0.2, "holds"), (-0.2, -0.1, "does not hold"), (-0.1, 0.2, "cannot be told")],
)
def test_the_rule(low, high, said):
    assert verdict(low, high) == said


def test_every_claim_is_about_rows_of_the_page():
    names = {row.name for row in ROWS}
    assert {name for claim in CLAIMS for name in (claim.higher, claim.lower)} <= names


def test_what_was_not_measured_is_named_and_costs_are_ratios():
    cells = {"raw": cell(1, 1), "spact": cell(1, 0, seconds=20.0), "latent (splavu)": cell(1, 0, seconds=0.5)}
    page = render_page({row: {0: found} for row, found in cells.items()})
    assert "Not measured yet: downsample 4x" in page
    assert "| SPAct leaks less than raw video | SPAct, Table 1 | +1.00" in page
    assert "| spact | 20.00 | 40 | 7 | 10 |" in page
    assert "12 videos of 6 people" in page
