"""Choosing on validation: the better candidate, per video, and a temperature that makes answers honest."""

import numpy as np
import pytest

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.selection import (
    best_temperature,
    choose,
    fit_best,
    spread_logits,
    turn_round,
    validation_score,
)


def labelled(target, *, clips_per_video=1):
    target = np.asarray(target)
    video = np.array([f"v{row // clips_per_video}" for row in range(len(target))])
    return LabelledFeatures(np.arange(len(target), dtype=np.float32)[:, None], target, video)


def always(logits):
    return lambda feature: np.asarray(logits, dtype=float)[: len(feature)]


def test_the_better_candidate_wins_and_is_fitted_again_on_both_parts():
    validation = labelled([0, 1, 0, 1])
    right, wrong = [[1, 0], [0, 1], [1, 0], [0, 1]], [[0, 1], [1, 0], [0, 1], [1, 0]]
    knowledge = AttackerKnowledge(labelled([0, 1]), validation, 2)
    refitted = []

    def refit(setting, data):
        refitted.append((setting, len(data)))
        return always(np.zeros((10, 2)))

    fitted = fit_best(
        [({"name": "wrong"}, always(wrong)), ({"name": "right"}, always(right))], knowledge, refit=refit
    )
    assert fitted.setting == {"name": "right"}
    assert fitted.validation_score[0] == 1.0
    assert refitted == []  # what nobody asks is not fitted again
    for _ in range(2):
        np.testing.assert_allclose(fitted.probabilities(np.zeros((3, 1))), 0.5)
    assert refitted == [({"name": "right"}, 6)]


def test_equal_metrics_are_decided_by_the_log_loss():
    validation = labelled([0, 1, 0, 1])
    ranked_well = np.array([[3.0, 0], [0, 3], [3, 0], [0, 3]])
    shifted = ranked_well + np.array([0, 2.5])  # the same ranking, but it calls everything class 1
    chosen = choose(
        [({"name": "shifted"}, always(shifted)), ({"name": "good"}, always(ranked_well))], validation
    )
    assert chosen.setting == {"name": "good"}


def test_validation_is_scored_per_video_by_hand():
    validation = labelled([1, 1, 0, 0, 1, 1], clips_per_video=2)
    class_1 = np.array([0.9, 0.1, 0.6, 0.8, 0.9, 0.9])  # video means 0.5, 0.7, 0.9
    metric, minus_loss = validation_score(np.stack([1 - class_1, class_1], axis=1), validation)
    assert metric == pytest.approx((1 + 2 / 3) / 2)
    assert minus_loss == pytest.approx(np.log([0.5, 0.3, 0.9]).mean())


def test_a_single_class_in_validation_leaves_the_choice_to_the_log_loss():
    validation = labelled([1, 1, 1])
    assert validation_score(np.tile([0.3, 0.7], (3, 1)), validation) == (0.0, pytest.approx(np.log(0.7)))


def test_more_classes_are_scored_by_top1():
    metric, _ = validation_score(np.eye(3)[[0, 1, 1, 2]] * 0.7 + 0.1, labelled([0, 1, 2, 2]))
    assert metric == 0.75


def test_an_overconfident_model_is_cooled_down():
    target = np.array([0, 0, 0, 1])
    assert best_temperature(np.tile([50.0, 0.0], (4, 1)), target) > 10
    assert best_temperature(np.eye(2)[target], target) < 1


def test_classes_that_training_lacked_come_last():
    spread = spread_logits(np.array([[2.0, -1.0]]), np.array([1, 3]), 4)
    np.testing.assert_array_equal(spread, [[-11.0, 2.0, -11.0, -1.0]])


def backwards(target):
    """Logits that speak for every other class more than for the right one."""
    return always(-3.0 * np.eye(3)[np.asarray(target)])


def test_a_candidate_that_is_always_wrong_is_turned_round_and_says_so():
    target = np.arange(12) % 3
    knowledge = AttackerKnowledge(labelled(target), labelled(target), 3)
    fitted = fit_best([({"name": "a"}, backwards(target))], knowledge, refit=lambda *_: backwards(target))
    assert fitted.setting == {"name": "a", "turned_round": True}
    answers = fitted.probabilities(np.zeros((12, 1)))
    assert (answers.argmax(axis=1) == target).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1)


def test_a_few_wrong_answers_do_not_turn_an_attack_round():
    target = np.array([0, 1, 0, 1, 0, 1])
    wrong_twice = 3.0 * np.eye(2)[np.array([1, 0, 1, 0, 0, 1])]  # four of six wrong: luck
    assert not choose([({}, always(wrong_twice))], labelled(target), frequency=np.full(2, 0.5)).turned
    always_wrong = 3.0 * np.eye(2)[1 - target]
    assert choose([({}, always(always_wrong))], labelled(target), frequency=np.full(2, 0.5)).turned
    assert not choose([({}, always(always_wrong))], labelled(target)).turned


def test_turning_round_keeps_how_frequent_classes_are():
    frequency = np.array([0.7, 0.3, 0.0])
    knows_nothing = np.log([[0.7, 0.3, 1e-9]])
    turned = turn_round(knows_nothing, frequency)
    np.testing.assert_allclose(turned[:, :2], knows_nothing[:, :2])
    assert turned[0, 2] < turned[0, :2].min() - 5  # a class that nothing was learned of
    np.testing.assert_allclose(turn_round(turn_round(knows_nothing, frequency), frequency), turned)
