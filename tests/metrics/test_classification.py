"""Metrics against plain loops, scikit-learn and values by hand, and against themselves on repeated items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score

from latentveil.metrics import classification as metrics


def plain_average_precision(target, score):
    """Precision at each threshold, times the step in recall."""
    total, area, recall = sum(target), 0.0, 0.0
    for threshold in sorted(set(score), reverse=True):
        called = [t for t, s in zip(target, score) if s >= threshold]
        area += sum(called) / len(called) * (sum(called) / total - recall)
        recall = sum(called) / total
    return area


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=30))
def test_average_precision_agrees_with_loop_and_scikit_learn(items):
    target, score = np.array([t for t, _ in items], dtype=int), np.array([s for _, s in items], dtype=float)
    value = metrics.average_precision(target, score)
    if not target.any():
        assert np.isnan(value)
    else:
        assert value == pytest.approx(plain_average_precision(target, score))
        assert value == pytest.approx(average_precision_score(target, score))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_weights_count_items_several_times(seed):
    random = np.random.default_rng(seed)
    target, classes = random.integers(2, size=12), random.integers(3, size=12)
    score, answers = random.integers(6, size=12) / 5, random.dirichlet(np.ones(3), size=12)
    weights = random.integers(4, size=(5, 12)).astype(float)
    weights[:, 0] += 1
    for row, counts in enumerate(weights.astype(int)):
        items = np.repeat(np.arange(12), counts)
        for value, expected in (
            (
                metrics.average_precision(target, score, weights),
                metrics.average_precision(target[items], score[items]),
            ),
            (
                metrics.top1_accuracy(classes, answers, weights),
                metrics.top1_accuracy(classes[items], answers[items]),
            ),
            (metrics.prevalence(target, weights), metrics.prevalence(target[items])),
        ):
            np.testing.assert_allclose(value[row], expected)


def test_a_constant_score_has_the_prevalence_as_average_precision():
    target = np.array([1, 0, 0, 1, 0])
    assert metrics.average_precision(target, np.zeros(5)) == pytest.approx(0.4)
    assert metrics.prevalence(target) == pytest.approx(0.4)


def test_cmap_by_hand():
    target = np.array([0, 0, 2, 2])
    answers = np.array([[0.8, 0.1, 0.1], [0.2, 0.2, 0.6], [0.5, 0.1, 0.4], [0.1, 0.0, 0.9]])
    per_class = metrics.average_precision_per_class(target, answers)
    np.testing.assert_allclose(per_class, [(1 + 2 / 3) / 2, np.nan, (1 + 2 / 3) / 2])
    assert metrics.class_mean_average_precision(target, answers) == pytest.approx(5 / 6)


def test_multi_label_cmap_leaves_out_attributes_without_positives():
    targets = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    scores = np.array([[0.9, 0.3, 0.1], [0.5, 0.2, 0.4], [0.7, 0.1, 0.2]])
    expected = np.mean([average_precision_score(targets[:, c], scores[:, c]) for c in (0, 1)])
    assert metrics.multi_label_cmap(targets, scores) == pytest.approx(expected)
    assert np.isnan(metrics.multi_label_cmap(np.zeros((3, 2)), scores[:, :2]))


def test_f1_at_probability_and_at_the_papers_logit():
    target = np.array([1, 1, 0, 0])
    class_1 = np.array([0.55, 0.7, 0.52, 0.1])  # 0.55 and 0.52 are above 0.5 but their logits are below 0.5
    answers = np.stack([1 - class_1, class_1], axis=1)
    assert metrics.f1_of_probabilities(target, answers) == pytest.approx(0.8)
    assert metrics.f1_of_probabilities(target, answers, threshold=metrics.PAPER_THRESHOLD) == pytest.approx(
        2 / 3
    )
    assert pytest.approx(0.6224593) == metrics.PAPER_THRESHOLD


def test_f1_of_more_classes_is_the_mean_over_those_present():
    random = np.random.default_rng(0)
    target, answers = random.integers(3, size=40), random.dirichlet(np.full(4, 0.3), size=40)
    expected = np.mean([f1_score(target == c, answers[:, c] > 0.5) for c in range(3)])
    assert metrics.f1_of_probabilities(target, answers) == pytest.approx(expected)


def test_f1_of_nothing_found_is_zero():
    assert metrics.f1(np.array([1, 0]), np.array([0, 0])) == 0.0
    assert metrics.f1(np.array([0, 0]), np.array([0, 0])) == 0.0


def test_majority_share_follows_the_class_that_leads_in_the_whole_sample():
    target = np.array([2, 2, 2, 0, 1])
    assert metrics.majority_share(target) == pytest.approx(0.6)
    np.testing.assert_allclose(metrics.majority_share(target, np.array([[0, 0, 1, 3, 0.0]])), [0.25])


def test_blind_accuracy_by_hand():
    assert metrics.blind_accuracy(np.array([0, 0, 1, 1]), np.full(8, 1 / 8)) == pytest.approx(1 / 8)
    assert metrics.blind_accuracy(np.array([0, 0, 0, 1]), np.array([0.8, 0.2])) == 0.75
    assert metrics.blind_accuracy(np.array([1, 1, 1, 0]), np.array([0.5, 0.3, 0.2])) == pytest.approx(
        0.75 * 0.3 + 0.25 * 0.5
    )
    weights = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 2.0, 2.0]])
    found = metrics.blind_accuracy(np.array([0, 0, 0, 1]), np.array([0.8, 0.2]), weights)
    np.testing.assert_allclose(found, [0.75, 0.5])
