"""The bootstrap covers the truth about as often as it says, and knows that clips of one person go together."""

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.metrics.classification import average_precision
from latentveil.metrics.intervals import bootstrap, mean_of, resampled_weights


def test_covers_the_true_mean_about_as_often_as_it_says():
    random = np.random.default_rng(0)
    covered = []
    for trial in range(200):
        people = random.normal(size=40)
        values = np.repeat(people, 5) + 0.3 * random.normal(size=200)
        interval = bootstrap(mean_of(values), np.repeat(np.arange(40), 5), seed=trial, num_resamples=200)
        covered.append(interval.low <= 0 <= interval.high)
    assert 0.88 <= np.mean(covered) <= 0.99


def test_is_wider_over_people_than_over_clips_that_agree():
    random = np.random.default_rng(1)
    values = np.repeat(random.normal(size=20), 10)
    over_people = bootstrap(mean_of(values), np.repeat(np.arange(20), 10), seed=0)
    over_clips = bootstrap(mean_of(values), np.arange(200), seed=0)
    assert over_people.value == over_clips.value == pytest.approx(values.mean())
    ratio = (over_people.high - over_people.low) / (over_clips.high - over_clips.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.25)


def test_groups_are_drawn_whole_and_as_many_as_there_are():
    groups = np.array(["b", "a", "b", "c"])
    weights = np.concatenate(list(resampled_weights(groups, seed=0, num_resamples=50)))
    assert weights.shape == (50, 4)
    np.testing.assert_array_equal(weights[:, 0], weights[:, 2])
    np.testing.assert_array_equal(weights[:, 0] + weights[:, 1] + weights[:, 3], 3)


def test_blocks_do_not_change_the_number_of_resamples(monkeypatch):
    monkeypatch.setattr("latentveil.metrics.intervals.BLOCK_WEIGHTS", 7)
    blocks = list(resampled_weights(np.arange(3), seed=0, num_resamples=5))
    assert [len(block) for block in blocks] == [2, 2, 1]


def test_resamples_without_a_positive_are_left_out():
    target, score = np.array([1, 0, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    interval = bootstrap(lambda weights: average_precision(target, score, weights), np.arange(4), seed=0)
    assert (interval.value, interval.low, interval.high) == (1.0, 1.0, 1.0)


def test_one_group_or_no_value_gives_an_unknown_interval():
    one = bootstrap(mean_of(np.array([1.0, 2.0])), np.array(["a", "a"]), seed=0)
    assert one.value == 1.5
    assert np.isnan([one.low, one.high]).all()
    none = bootstrap(lambda weights: np.full(len(weights), np.nan), np.arange(3), seed=0)
    assert np.isnan([none.value, none.low, none.high]).all()


def test_same_seed_same_interval():
    values = np.random.default_rng(2).normal(size=30)
    first, second, other = (bootstrap(mean_of(values), np.arange(30), seed=seed) for seed in (4, 4, 5))
    assert first == second != other


def test_no_groups_are_refused():
    with pytest.raises(InputError, match="N > 0"):
        bootstrap(mean_of(np.array([])), np.array([]), seed=0)
