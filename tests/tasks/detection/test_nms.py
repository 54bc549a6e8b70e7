import math
import time

import numpy as np
import pytest

from latentveil.tasks.detection.nms import pairwise_iou, soft_nms, vote


def iou(first, second):
    inner = max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
    return inner / ((first[1] - first[0] + 1e-6) + (second[1] - second[0] + 1e-6) - inner)


def reference(segments, scores, classes, sigma, min_score, max_segments):
    """Soft-NMS as it is defined, one class and one segment at a time: [(index, score)], best first."""
    kept = []
    for label in sorted(set(classes)):
        left = [[score, index] for index, (score, found) in enumerate(zip(scores, classes)) if found == label]
        taken = []
        while left and len(taken) < max_segments:
            best = max(left, key=lambda entry: entry[0])
            if best[0] < min_score:
                break
            left.remove(best)
            taken.append((best[1], best[0]))
            for entry in left:
                entry[0] *= math.exp(-(iou(segments[best[1]], segments[entry[1]]) ** 2) / sigma)
        kept += taken
    return sorted(kept, key=lambda entry: -entry[1])[:max_segments]


def random_case(random):
    """Segments of all lengths with tied scores, exact copies, points in time and uneven classes."""
    number = int(random.integers(0, 40))
    start = random.uniform(0, 20, number)
    segments = np.stack(
        [start, start + random.exponential(4, number) * (random.random(number) < 0.95)], axis=1
    )
    scores = random.uniform(0.0005, 1, number)
    if random.random() < 0.5:
        scores = np.ceil(scores * 4) / 4
    if number > 3 and random.random() < 0.5:
        segments[1] = segments[2] = segments[0]
    classes = random.choice([0, 3, 4, 9], number, p=[0.5, 0.3, 0.15, 0.05])
    cap = int(random.choice([1, 5, 17, 2000]))
    return (
        segments,
        scores,
        classes,
        float(random.choice([0.3, 0.5, 1.0])),
        float(random.choice([0.001, 0.2])),
        cap,
    )


@pytest.mark.parametrize("part", range(4))
def test_equals_the_sequential_definition_on_random_cases(part):
    random = np.random.default_rng(part)
    for _ in range(250):
        segments, scores, classes, sigma, min_score, cap = random_case(random)
        kept = soft_nms(segments, scores, classes=classes, sigma=sigma, min_score=min_score, max_segments=cap)
        wanted = reference(segments.tolist(), scores.tolist(), classes.tolist(), sigma, min_score, cap)
        assert kept.index.tolist() == [index for index, _ in wanted]
        np.testing.assert_allclose(kept.scores, [score for _, score in wanted], atol=1e-6, rtol=0)


def test_long_lists_are_cleaned_up_on_the_way_without_a_difference():
    random = np.random.default_rng(0)
    start = random.uniform(0, 100, 600)
    segments = np.stack([start, start + random.uniform(0.1, 30, 600)], axis=1)
    scores, classes = random.beta(0.5, 3, 600).clip(0.001), random.integers(0, 3, 600)
    for cap in (50, 300, 600):
        kept = soft_nms(segments, scores, classes=classes, max_segments=cap)
        wanted = reference(segments.tolist(), scores.tolist(), classes.tolist(), 0.5, 0.001, cap)
        assert kept.index.tolist() == [index for index, _ in wanted]
        np.testing.assert_allclose(kept.scores, [score for _, score in wanted], atol=1e-6, rtol=0)


@pytest.mark.parametrize("num_levels", [1, 3])
def test_more_equal_scores_than_a_block_holds_and_copies_of_segments(num_levels):
    random = np.random.default_rng(0)
    start = random.uniform(0, 100, 300)
    segments = np.stack([start, start + random.uniform(0.1, 8, 300)], axis=1)
    scores = random.integers(1, num_levels + 1, 300) / num_levels
    segments[200:], scores[200:] = segments[:100], scores[:100]
    kept = soft_nms(segments, scores, classes=np.zeros(300, int))
    wanted = reference(segments.tolist(), scores.tolist(), [0] * 300, 0.5, 0.001, 2000)
    assert kept.index.tolist() == [index for index, _ in wanted]
    np.testing.assert_allclose(kept.scores, [score for _, score in wanted], atol=1e-6, rtol=0)


def test_value_worked_by_hand():
    # IoU of the first two is 1/3; the third is another class, the fourth far away
    segments = np.array([[0.0, 2.0], [1.0, 3.0], [0.0, 2.0], [9.0, 10.0]])
    kept = soft_nms(segments, np.array([0.9, 0.8, 0.7, 0.1]), classes=np.array([0, 0, 1, 0]))
    assert kept.index.tolist() == [0, 2, 1, 3]
    np.testing.assert_allclose(kept.scores, [0.9, 0.7, 0.8 * math.exp(-2 / 9), 0.1], atol=1e-6)


def test_without_classes_all_segments_compete():
    segments = np.array([[0.0, 2.0], [0.0, 2.0]])
    kept = soft_nms(segments, np.array([0.5, 0.6]))
    assert kept.index.tolist() == [1, 0]
    np.testing.assert_allclose(kept.scores, [0.6, 0.5 * math.exp(-2)], atol=1e-5)


def test_voting_is_the_weighted_mean_of_close_segments():
    segments = np.array([[0.0, 10.0], [1.0, 11.0], [30.0, 40.0]])
    scores = np.array([0.6, 0.2, 0.9])
    voted = vote(segments, scores, segments[[0, 2]], min_iou=0.7)
    np.testing.assert_allclose(voted, [[0.25, 10.25], [30.0, 40.0]])


def test_pairwise_iou_equals_plain_loops():
    random = np.random.default_rng(0)
    first, second = (np.sort(random.uniform(0, 5, (n, 2)), axis=1) for n in (6, 9))
    wanted = [[iou(a, b) for b in second.tolist()] for a in first.tolist()]
    np.testing.assert_allclose(pairwise_iou(first, second), wanted, rtol=1e-12)


@pytest.mark.parametrize("weights", [np.ones(20), np.where(np.arange(20) == 0, 1.0, 0.01)])
def test_forty_thousand_segments_take_far_less_than_a_second(weights):
    """Also where one class holds all of the best segments."""
    random = np.random.default_rng(0)
    start = random.uniform(0, 2304, 40_000)
    segments = np.stack([start, start + random.uniform(1, 100, 40_000)], axis=1)
    scores = random.uniform(0.1, 1, 40_000) * np.repeat(weights, 2000)
    before = time.process_time()
    kept = soft_nms(segments, scores, classes=np.repeat(np.arange(20), 2000))
    assert time.process_time() - before < 0.3
    assert len(kept.index) == 2000
    assert (np.diff(kept.scores) <= 0).all()
