"""The permutation test: honest p-values where groups mean nothing, small ones for offsets, spreads, and the trap."""

import numpy as np
import pytest

from latentveil.auditing.exchangeability import exchangeability_test, power_against_offset
from latentveil.errors import InputError

GROUP = np.repeat(np.arange(12), 8)
DIM = 12


def noise(seed):
    return np.random.default_rng(seed).normal(size=(len(GROUP), DIM))


def test_where_groups_mean_nothing_p_values_are_as_frequent_as_they_say():
    values = [exchangeability_test(noise(seed), GROUP, num_permutations=49).p_value for seed in range(60)]
    assert np.mean(np.array(values) <= 0.1) <= 0.2  # 0.1 is expected
    assert 0.3 < np.mean(values) < 0.7


def test_an_offset_a_spread_and_a_missing_mean_are_found():
    random = np.random.default_rng(1)
    offset = noise(0) + 0.6 * random.normal(size=(12, DIM))[GROUP]
    spread = noise(0) * np.exp(1.2 * random.normal(size=(12, DIM)))[GROUP]
    trap = noise(0) - np.stack([noise(0)[name == GROUP].mean(axis=0) for name in range(12)])[GROUP]
    for feature in (offset, spread, trap):
        assert exchangeability_test(feature, GROUP).p_value < 0.01
    assert exchangeability_test(trap, GROUP).scores["cosine"] < -3  # less alike than by chance
    fresh = trap + random.normal(size=(12, DIM))[GROUP] / np.sqrt(8)
    assert exchangeability_test(fresh, GROUP).p_value > 0.05


def test_an_offset_is_found_beside_a_dimension_that_is_huge():
    """Large transformers have some; all else is nothing beside them, and every attacker standardises."""
    random = np.random.default_rng(1)
    offset = noise(0) + 0.6 * random.normal(size=(12, DIM))[GROUP]
    huge = np.concatenate([offset, 1000 * random.normal(size=(len(GROUP), 1))], axis=1)
    found = exchangeability_test(huge, GROUP)
    assert found.p_value < 0.01
    assert found.learner == "standardised cosine"


def test_actions_that_everybody_shows_equally_often_are_no_leak_within_actions():
    action = np.tile(np.arange(4), len(GROUP) // 4)
    motion = 4 * np.random.default_rng(3).normal(size=(4, DIM))[action]
    features = [noise(seed) + motion for seed in range(20)]
    across, within = (
        np.array(
            [exchangeability_test(one, GROUP, strata=strata, num_permutations=49).p_value for one in features]
        )
        for strata in (None, action)
    )
    assert (across < 0.05).all()  # as if people avoided looking alike
    assert np.mean(within <= 0.1) <= 0.25
    assert np.mean(within) > 0.35


def test_power_grows_with_what_is_planted_and_is_small_for_nothing():
    sizes = {size: power_against_offset(noise(4), GROUP, size=size, num_trials=5) for size in (0.0, 0.6)}
    assert sizes[0.0] <= 0.4
    assert sizes[0.6] == 1


def test_a_constant_cannot_be_told_and_single_videos_cannot_be_tested():
    assert exchangeability_test(np.ones((96, DIM)), GROUP).p_value == 1
    with pytest.raises(InputError, match="groups must be two or more"):
        exchangeability_test(noise(0), np.arange(96))
