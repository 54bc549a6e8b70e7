"""Intervals know that clips of one person go together, and draw nobody twice; test_coverage.py counts how they hold."""

import numpy as np
import pytest
from scipy import stats

from latentveil.errors import InputError
from latentveil.metrics.classification import average_precision
from latentveil.metrics.intervals import (
    SHARE,
    Halves,
    half_samples,
    interval_over_groups,
    mean_of,
    reach_over_people,
)


def test_is_wider_over_people_than_over_clips_that_agree():
    random = np.random.default_rng(1)
    values = np.repeat(random.normal(size=20), 10)
    over_people = interval_over_groups(mean_of(values), np.repeat(np.arange(20), 10), seed=0)
    over_clips = interval_over_groups(mean_of(values), np.arange(200), seed=0)
    assert over_people.value == over_clips.value == pytest.approx(values.mean())
    ratio = (over_people.high - over_people.low) / (over_clips.high - over_clips.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.25)


def test_half_of_the_groups_are_drawn_whole_and_nobody_twice():
    groups = np.array(["b", "a", "b", "c", "d"])
    weights = np.concatenate(list(half_samples(groups, seed=0, num_resamples=50)))
    assert weights.shape == (50, 5)
    assert set(weights.ravel()) == {0.0, 1.0}
    np.testing.assert_array_equal(weights[:, 0], weights[:, 2])
    np.testing.assert_array_equal(weights[:, 0] + weights[:, 1] + weights[:, 3] + weights[:, 4], 2)


def test_blocks_do_not_change_the_number_of_resamples(monkeypatch):
    monkeypatch.setattr("latentveil.metrics.intervals.BLOCK_WEIGHTS", 7)
    blocks = list(half_samples(np.arange(3), seed=0, num_resamples=5))
    assert [len(block) for block in blocks] == [2, 2, 1]


@pytest.mark.parametrize("num_people", [9, 30])
def test_a_mean_has_the_interval_of_the_textbook(num_people):
    means = np.random.default_rng(0).normal(size=num_people)
    interval = interval_over_groups(mean_of(means), np.arange(num_people), seed=0, num_resamples=20_000)
    reach = stats.t.ppf(0.975, num_people - 1) * means.std(ddof=1) / np.sqrt(num_people)
    assert interval.value == pytest.approx(means.mean())
    assert interval.low == pytest.approx(means.mean() - reach, abs=0.1 * reach)
    assert interval.high == pytest.approx(means.mean() + reach, abs=0.1 * reach)


@pytest.mark.parametrize(("value", "low", "high"), [(0.0, 0.0, 0.3085), (1.0, 0.6915, 1.0)])
def test_where_all_are_alike_as_many_others_need_not_be(value, low, high):
    """Clopper and Pearson's interval of none, or all, of ten; clips of one person count once."""
    found = interval_over_groups(mean_of(np.full(40, value)), np.arange(40) // 4, seed=0, limits=SHARE)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-4)
    assert found.high - found.low == pytest.approx(stats.beta.ppf(0.975, 1, 10))


def test_a_statistic_that_falls_with_the_sample_has_a_lower_interval():
    # mean + 1 / N is 1 / N too high; of a half it is 2 / N too high
    values = np.random.default_rng(0).normal(size=20)

    def too_high(weights):
        return mean_of(values)(weights) + 10 / weights.sum(axis=1)

    interval = interval_over_groups(too_high, np.arange(20), seed=0, num_resamples=20_000)
    plain = interval_over_groups(mean_of(values), np.arange(20), seed=0, num_resamples=20_000)
    assert interval.value == pytest.approx(plain.value + 0.5)
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_an_interval_stays_within_what_the_statistic_can_be():
    correct = np.array([1.0] * 9 + [0.0])
    assert interval_over_groups(mean_of(correct), np.arange(10), seed=0).high > 1
    limited = interval_over_groups(mean_of(correct), np.arange(10), seed=0, limits=SHARE)
    assert limited.value == 0.9
    assert 0 < limited.low < limited.high == 1


def test_resamples_without_a_positive_are_left_out():
    target, score = np.array([1, 0, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    interval = interval_over_groups(
        lambda weights: average_precision(target, score, weights), np.arange(4), seed=0
    )
    assert (interval.value, interval.low, interval.high) == (1.0, 1.0, 1.0)


def test_one_group_or_no_value_gives_an_unknown_interval():
    one = interval_over_groups(mean_of(np.array([1.0, 2.0])), np.array(["a", "a"]), seed=0)
    assert one.value == 1.5
    assert np.isnan([one.low, one.high]).all()
    none = interval_over_groups(lambda weights: np.full(len(weights), np.nan), np.arange(3), seed=0)
    assert np.isnan([none.value, none.low, none.high]).all()


def test_same_seed_same_interval():
    values = np.random.default_rng(2).normal(size=30)
    first, second, other = (
        interval_over_groups(mean_of(values), np.arange(30), seed=seed) for seed in (4, 4, 5)
    )
    assert first == second != other


def test_no_groups_are_refused():
    with pytest.raises(InputError, match="N > 0"):
        interval_over_groups(mean_of(np.array([])), np.array([]), seed=0)


def test_kept_halves_are_the_same_for_the_same_people_and_a_mean_of_parts_uses_one_draw():
    groups = np.repeat(list("abcdefgh"), 3)
    values = np.arange(24.0)
    kept = Halves.of(mean_of(values), groups)
    assert (len(kept.values), kept.groups) == (100, 8)
    assert kept == Halves.of(mean_of(values), groups)
    shifted = Halves.of(mean_of(values + 1), groups)
    np.testing.assert_allclose(np.array(shifted.values) - kept.values, 1)
    # A second part that only half of the people have: each half of people is looked at in both parts.
    some = groups < "e"
    both = Halves.of_mean([(mean_of(values), groups), (mean_of(values[some]), groups[some])])
    (drawn,) = half_samples(np.array(list("abcdefgh")), seed=0, num_resamples=100)
    person = np.searchsorted(list("abcdefgh"), groups)
    first = drawn[0][person]
    with np.errstate(invalid="ignore"):
        parts = [np.average(values, weights=first), np.average(values[some], weights=first[some])]
    assert both.values[0] == pytest.approx(np.mean(parts), abs=1e-4)


def test_the_reach_over_people_is_that_of_the_bootstrap():
    generator = np.random.default_rng(0)
    groups, values = np.repeat(np.arange(40), 2), generator.normal(size=80)
    interval = interval_over_groups(mean_of(values), groups, seed=0)
    kept = Halves.of(mean_of(values), groups)
    reach = reach_over_people(np.array(kept.values), kept.groups)
    assert reach == pytest.approx((interval.high - interval.low) / 2, rel=0.2)  # 100 halves against 1000
    assert np.isnan(reach_over_people(np.array([0.1, 0.2]), 1))
