"""The bounds of the Gaussian mechanism: exact where that is known, never beaten by the best attacker, invertible."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from latentveil.errors import InputError
from latentveil.metrics.gaussian_mechanism import (
    accuracy_bound,
    advantage_bound,
    noise_ratio,
    sigma_for_advantage,
    true_positive_bound,
)


def test_two_codes_by_hand():
    """The best test between N(0, 1) and N(2, 1) says "second" above 1: right with probability Phi(1)."""
    assert accuracy_bound(2.0, guess=0.5) == pytest.approx(norm.cdf(1))
    assert advantage_bound(2.0) == pytest.approx(2 * norm.cdf(1) - 1)
    assert true_positive_bound(2.0, false_positive_rate=0.01) == pytest.approx(norm.cdf(norm.ppf(0.01) + 2))


def test_nothing_is_learned_without_a_difference_and_nothing_promised_without_noise():
    assert noise_ratio(0.0, 0.0) == 0
    assert accuracy_bound(0.0, guess=0.1) == pytest.approx(0.1)
    assert noise_ratio(1.0, 0.0) == math.inf
    assert accuracy_bound(math.inf, guess=0.1) == advantage_bound(math.inf) == 1


def test_several_noisy_copies_tell_more():
    assert noise_ratio(1.0, 0.5, num_releases=4) == pytest.approx(2 * noise_ratio(1.0, 0.5))


@pytest.mark.parametrize("num_people", [2, 3, 10])
def test_the_best_attacker_stays_below_the_bound(num_people):
    """People on the corners of a regular simplex, one apart: the nearest corner is the best answer there is."""
    random, sigma = np.random.default_rng(0), 0.7
    corners = np.eye(num_people) / math.sqrt(2)
    person = random.integers(num_people, size=200_000)
    seen = corners[person] + sigma * random.normal(size=(len(person), num_people))
    reached = (seen.argmax(axis=1) == person).mean()
    bound = accuracy_bound(noise_ratio(1.0, sigma), guess=1 / num_people)
    assert 1 / num_people < reached <= bound + 0.003
    if num_people == 2:
        assert reached == pytest.approx(bound, abs=0.005)  # tight


def test_the_noise_for_a_bound_gives_that_bound():
    sigma = sigma_for_advantage(3.0, 0.3, num_releases=2)
    assert advantage_bound(noise_ratio(3.0, sigma, num_releases=2)) == pytest.approx(0.3)


@pytest.mark.parametrize("wrong", [0.0, 1.0, 1.5])
def test_what_cannot_be_promised_is_refused(wrong):
    with pytest.raises(InputError, match="between 0 and 1"):
        sigma_for_advantage(1.0, wrong)
    with pytest.raises(InputError, match="between 0 and 1"):
        accuracy_bound(1.0, guess=wrong)
