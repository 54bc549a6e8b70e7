"""Pairs: values worked by hand, against scikit-learn, chance for a constant, and people counted as they are drawn."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from latentveil.metrics.intervals import interval_over_groups
from latentveil.metrics.verification import PairScores, can_measure, first_match


def pairs_of(score, person, *, upper=True):
    first, second = np.triu_indices(len(person), 1) if upper else np.indices(score.shape).reshape(2, -1)
    return PairScores(score[first, second], person[first] == person[second], first, second)


def random_scene(*, num_people=12, num_videos=6, seed=0):
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(num_people), num_videos)
    feature = random.normal(size=(num_people, 5))[person] + random.normal(size=(len(person), 5))
    return person, feature @ feature.T


def test_three_pairs_by_hand():
    # same 3 and 1, different 2: one of two accepted before the false one
    pairs = PairScores(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]), np.arange(3), np.arange(3))
    ones = np.ones((1, 3))
    assert pairs.auc(ones) == pytest.approx(0.5)
    assert pairs.true_accept_at(0.01, ones) == pytest.approx(0.5)
    assert pairs.equal_error_rate(ones) == pytest.approx(0.5)
    assert (pairs.num_same, pairs.num_different) == (2, 1)


@pytest.mark.parametrize("num_people", [6, 40])  # with 40, thresholds are quantiles
def test_agrees_with_scikit_learn(num_people):
    person, score = random_scene(num_people=num_people)
    pairs = pairs_of(score, person)
    ones = np.ones((1, len(person)))
    false_accept, true_accept, _ = roc_curve(pairs.same, pairs.score)
    assert pairs.auc(ones)[0] == pytest.approx(roc_auc_score(pairs.same, pairs.score), abs=1e-4)
    expected = true_accept[false_accept <= 0.01].max()
    assert pairs.true_accept_at(0.01, ones)[0] == pytest.approx(expected, abs=0.02)
    crossing = np.abs(false_accept - (1 - true_accept)).argmin()
    assert pairs.equal_error_rate(ones)[0] == pytest.approx(false_accept[crossing], abs=0.02)


def test_a_constant_is_chance_and_the_truth_is_perfect():
    person, score = random_scene()
    ones = np.ones((1, len(person)))
    blind = pairs_of(np.zeros_like(score), person)
    assert blind.auc(ones)[0] == 0.5
    assert blind.true_accept_at(0.01, ones)[0] == pytest.approx(0.01)
    assert blind.equal_error_rate(ones)[0] == pytest.approx(0.5)
    perfect = pairs_of((person[:, None] == person).astype(float), person)
    assert perfect.auc(ones)[0] == 1.0
    assert perfect.true_accept_at(0.001, ones)[0] == 1.0
    assert perfect.equal_error_rate(ones)[0] == 0.0


def test_turned_round_gives_the_rest_of_the_area():
    person, score = random_scene()
    ones = np.ones((1, len(person)))
    area, turned = (pairs_of(sign * score, person).auc(ones)[0] for sign in (1, -1))
    assert turned == pytest.approx(1 - area, abs=1e-4)


def test_somebody_drawn_twice_counts_as_two_people_that_are_not_compared():
    person, score = random_scene(num_people=4, num_videos=3)
    weights = np.ones((1, len(person)))
    weights[0, person == 0], weights[0, person == 1] = 2, 0
    first, second = np.triu_indices(len(person), 1)
    same = person[first] == person[second]
    times = np.where(same, weights[0, first], weights[0, first] * weights[0, second])
    expected = roc_auc_score(same, score[first, second], sample_weight=times)
    assert pairs_of(score, person).auc(weights)[0] == pytest.approx(expected)


def test_without_pairs_of_either_sort_nothing_is_known():
    only_same = PairScores(np.ones(2), np.ones(2, dtype=bool), np.array([0, 1]), np.array([1, 0]))
    ones = np.ones((1, 2))
    assert np.isnan(only_same.auc(ones)).all()
    assert np.isnan(only_same.true_accept_at(0.01, ones)).all()
    assert np.isnan(only_same.equal_error_rate(ones)).all()


def test_a_rare_error_needs_many_pairs():
    assert can_measure(0.01, 1000)
    assert not can_measure(0.01, 999)
    assert not can_measure(0.001, 9999)


def test_the_first_match_by_hand():
    score = np.array([[0.0, 3.0, 2.0, 1.0], [5.0, 0.0, 1.0, 9.0]])
    same = np.array([[True, False, False, True], [True, True, False, False]])
    candidates = np.array([[False, True, True, True], [True, True, True, False]])
    hit, reciprocal = first_match(score, same, candidates)
    np.testing.assert_allclose(hit, [0, 1])
    np.testing.assert_allclose(reciprocal, [1 / 3, 1])


def test_a_probe_without_a_match_is_left_out():
    hit, reciprocal = first_match(np.zeros((1, 2)), np.array([[False, True]]), np.array([[True, False]]))
    assert np.isnan(hit).all()
    assert np.isnan(reciprocal).all()


def test_equal_scores_give_the_mean_over_all_orders():
    same = np.array([False, True, False, True, False])
    ranks = [min(order.index(1), order.index(3)) + 1 for order in permutations(range(5))]
    hit, reciprocal = first_match(np.zeros((1, 5)), same[None], np.ones((1, 5), dtype=bool))
    assert hit[0] == pytest.approx(2 / 5)
    assert reciprocal[0] == pytest.approx(np.mean([1 / rank for rank in ranks]))


def test_the_interval_over_people_covers_the_area_about_as_often_as_it_says():
    def area_of(random, num_people):
        person = np.repeat(np.arange(num_people), 3)
        feature = random.normal(size=num_people)[person] + random.normal(size=len(person))
        return person, pairs_of(-np.abs(feature[:, None] - feature), person)

    person, many = area_of(np.random.default_rng(0), 400)
    truth = many.auc(np.ones((1, len(person))))[0]
    covered = []
    for trial in range(100):
        person, pairs = area_of(np.random.default_rng(trial + 1), 25)
        found = interval_over_groups(pairs.auc, person, seed=trial, num_resamples=200)
        covered.append(found.low <= truth <= found.high)
    assert 0.85 <= np.mean(covered) <= 1.0
