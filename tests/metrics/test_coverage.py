"""Every interval that we print holds the truth about as often as it says: the short form of docs/coverage.md."""

import numpy as np
import pytest

from benchmarks.coverage import WORLDS, coverage, map_world, true_value
from latentveil.metrics.intervals import bootstrap

TRIALS = 150
# 150 intervals of 95 % hold the truth in 90 to 99 % of all such tests, give or take one in a hundred.
LOW, HIGH = 0.88, 0.995


@pytest.mark.parametrize("name", WORLDS)
def test_holds_the_truth_about_as_often_as_it_says(name):
    truth = true_value(WORLDS[name], samples=3)
    found = coverage(WORLDS[name], 24, truth=truth, trials=TRIALS, num_resamples=100)
    assert LOW <= found.covered <= HIGH


def test_map_does_not_sit_at_the_low_end_of_its_interval():
    # a draw with replacement doubles videos, and lifted the whole interval to where the value was its low end
    places = []
    for trial in range(20):
        statistic, videos = map_world(48, np.random.default_rng(trial))
        interval = bootstrap(statistic, videos, seed=trial, num_resamples=100)
        places.append((interval.value - interval.low) / (interval.high - interval.low))
    assert 0.4 < np.mean(places) < 0.9
    assert min(places) > 0.2
