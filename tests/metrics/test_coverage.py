"""Every interval that we print holds the truth about as often as it says: the short form of docs/coverage.md."""

from dataclasses import asdict

import numpy as np
import pytest

from benchmarks.coverage import (
    SHARES,
    WORLDS,
    Coverage,
    coverage,
    map_world,
    measure,
    true_value,
    write_page,
)
from latentveil.metrics.intervals import ANYWHERE, SHARE, interval_over_groups

TRIALS = 150
# 150 intervals of 95 % hold the truth in 90 to 99 % of all such tests, give or take one in a hundred.
LOW, HIGH = 0.88, 0.995


@pytest.mark.parametrize("name", WORLDS)
def test_holds_the_truth_about_as_often_as_it_says(name):
    truth, limits = true_value(WORLDS[name], samples=3), SHARE if name in SHARES else ANYWHERE
    found = coverage(WORLDS[name], 24, truth=truth, trials=TRIALS, num_resamples=100, limits=limits)
    assert LOW <= found.covered <= (1 if name in SHARES else HIGH)


@pytest.mark.parametrize("name", SHARES)
def test_where_few_people_are_all_alike_the_truth_is_held_too(name):
    """Of six people nobody is told in half of all samples, though a tenth of all people are."""
    truth = true_value(WORLDS[name], samples=3)
    found = coverage(WORLDS[name], 6, truth=truth, trials=TRIALS, num_resamples=100, limits=SHARE)
    assert found.covered > LOW


def test_map_does_not_sit_at_the_low_end_of_its_interval():
    # a draw with replacement doubles videos, and lifted the whole interval to where the value was its low end
    places = []
    for trial in range(20):
        statistic, videos = map_world(48, np.random.default_rng(trial))
        interval = interval_over_groups(statistic, videos, seed=trial, num_resamples=100)
        places.append((interval.value - interval.low) / (interval.high - interval.low))
    assert 0.4 < np.mean(places) < 0.9
    assert min(places) > 0.2


def test_what_was_measured_is_not_measured_again(monkeypatch):
    asked = []
    monkeypatch.setattr("benchmarks.coverage.true_value", lambda world: asked.append(world) or 0.0)
    monkeypatch.setattr("benchmarks.coverage.NUM_PEOPLE", ())
    known = {name: {} for name in WORLDS if name != "mAP"}
    assert measure(3, known).keys() == known.keys()
    assert asked == [WORLDS["mAP"]]


def test_the_page_is_written_from_what_is_kept():
    kept = {"mean": {"6": asdict(Coverage(1.0, 0.1, covered=0.85, too_high=0.05, too_low=0.1, width=2.0))}}
    page = write_page(kept, trials=7)
    assert "| mean | 1.000 | 6 | +0.100 | 85.0% | 5.0% | 10.0% | 2.000 |" in page
    assert "Outside of 90% to 98%: mean of 6 people (85.0%)." in page
