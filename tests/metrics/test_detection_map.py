import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.labels import Segment
from latentveil.metrics.detection_map import (
    Detections,
    match_detections,
    mean_average_precision,
    score_detections,
)

THRESHOLDS = (0.3, 0.5, 0.7)


def detections(rows):
    """Rows (video, label, score, start, end)."""
    video, label, score, start, end = zip(*rows) if rows else ((), (), (), (), ())
    return Detections(
        np.array(video, dtype=str),
        np.array(label, dtype=str),
        *(np.array(c, dtype=float) for c in (score, start, end)),
    )


def iou(first, second):
    inner = max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
    return inner / ((first[1] - first[0]) + (second[1] - second[0]) - inner)


def reference_ap(rows, truth, threshold):
    """AP of one class in the most literal way: match in order, then the area under the interpolated precision."""
    total = sum(len(found) for found in truth.values())
    taken, precision, recall, right = set(), [], [], 0
    for number, (video, _, start, end) in enumerate(sorted(rows, key=lambda row: -row[1]), start=1):
        options = [(iou((start, end), s), -k) for k, s in enumerate(truth[video]) if (video, k) not in taken]
        overlap, minus_k = max(options, default=(0.0, 0))
        if options and overlap >= threshold:
            taken.add((video, -minus_k))
            right += 1
        precision.append(right / number)
        recall.append(right / total)
    area, before = 0.0, 0.0
    for position, now in enumerate(recall):
        area += (now - before) * max(precision[position:])
        before = now
    return area


def reference_map(rows, truth, threshold):
    labels = sorted({segment.label for found in truth.values() for segment in found})
    areas = []
    for label in labels:
        own = {
            v: [(s.start_seconds, s.end_seconds) for s in found if s.label == label]
            for v, found in truth.items()
        }
        areas.append(
            reference_ap([(v, p, s, e) for v, name, p, s, e in rows if name == label], own, threshold)
        )
    return sum(areas) / len(areas)


def random_case(random):
    """A few videos, some empty, with detections that are right, moved, wrong, tied or of unknown classes."""
    videos = [f"v{n}" for n in range(random.integers(1, 6))]
    truth = {video: [] for video in videos}
    truth[videos[0]].append(Segment(1.0, 3.0, "a"))
    rows = []
    for video in videos:
        for _ in range(random.integers(0, 5)):
            start = float(random.uniform(0, 20))
            truth[video].append(
                Segment(start, start + float(random.uniform(1, 5)), str(random.choice(list("abc"))))
            )
        for _ in range(random.integers(0, 12)):
            score = float(random.choice([random.random(), 0.5, 0.7]))
            if truth[video] and random.random() < 0.7:
                near = truth[video][random.integers(len(truth[video]))]
                start, end = near.start_seconds + random.normal() / 2, near.end_seconds + abs(random.normal())
                rows.append((video, near.label, score, float(start), float(max(start, end))))
            else:
                start = float(random.uniform(0, 20))
                rows.append(
                    (video, str(random.choice(list("abcx"))), score, start, start + float(random.random()))
                )
    return rows if random.random() < 0.9 else [], truth


@pytest.mark.parametrize("part", range(4))
def test_equals_plain_loops_on_random_cases(part):
    random = np.random.default_rng(part)
    for _ in range(250):
        rows, truth = random_case(random)
        matches = match_detections(detections(rows), truth, thresholds=THRESHOLDS)
        found = mean_average_precision(matches, np.ones((1, len(truth))))[0]
        np.testing.assert_allclose(
            found, [reference_map(rows, truth, t) for t in THRESHOLDS], atol=1e-6, rtol=0
        )


def test_weights_equal_videos_that_are_really_there_several_times():
    random = np.random.default_rng(0)
    for _ in range(100):
        rows, truth = random_case(random)
        weights = random.integers(0, 4, len(truth))
        copies = [(v, f"{v}-{n}") for v, weight in zip(truth, weights) for n in range(weight)]
        copied_truth = {new: truth[old] for old, new in copies}
        copied_rows = [(new, *row[1:]) for row in rows for old, new in copies if old == row[0]]
        matches = match_detections(detections(rows), truth, thresholds=THRESHOLDS)
        found = mean_average_precision(matches, weights[None].astype(float))[0]
        if any(copied_truth.values()):
            wanted = [reference_map(copied_rows, copied_truth, t) for t in THRESHOLDS]
            np.testing.assert_allclose(found, wanted, atol=1e-9)
        else:
            assert np.isnan(found).all()


def test_value_worked_by_hand():
    truth = {"v": [Segment(0, 10, "a"), Segment(20, 30, "a")], "w": []}
    # right, wrong (in the empty video), a second one on a taken segment, right: precisions 1, 1/2, 1/3, 2/4
    rows = [("v", "a", 0.9, 0, 10), ("w", "a", 0.8, 0, 10), ("v", "a", 0.7, 1, 10), ("v", "a", 0.6, 21, 30)]
    score = score_detections(detections(rows), truth, thresholds=(0.5, 0.95))
    assert score.by_threshold == {0.5: 0.75, 0.95: 0.5}
    assert score.interval.value == 0.625
    assert np.isnan([score.interval.low, score.interval.high]).all()  # one video alone has a segment


def test_a_detection_takes_the_best_free_segment():
    truth = {"v": [Segment(0, 10, "a"), Segment(2, 12, "a")]}
    # both overlap both segments; the first takes the second segment, which leaves the first for the other
    rows = [("v", "a", 0.9, 2, 12), ("v", "a", 0.8, 2, 12)]
    assert score_detections(detections(rows), truth, thresholds=(0.5,)).interval.value == 1


def test_copies_and_empty_segments_of_the_truth_count_once_and_never():
    truth = {"v": [Segment(0, 10, "a"), Segment(0.0005, 10, "a"), Segment(5, 5, "a"), Segment(0, 10, "b")]}
    rows = [("v", "a", 0.9, 0, 10), ("v", "b", 0.9, 0, 10)]
    assert score_detections(detections(rows), truth).interval.value == 1


def test_nothing_found_is_zero_with_an_interval_of_two_videos():
    truth = {"v": [Segment(0, 10, "a")], "w": [Segment(0, 10, "b")]}
    interval = score_detections(detections([]), truth).interval
    assert (interval.value, interval.low, interval.high) == (0, 0, pytest.approx(1 - 0.025**0.5))


def test_refuses_unknown_videos_and_an_empty_truth():
    with pytest.raises(InputError, match="got 'x'"):
        score_detections(detections([("x", "a", 0.5, 0, 1)]), {"v": [Segment(0, 1, "a")]})
    with pytest.raises(InputError, match="at least one segment"):
        score_detections(detections([]), {"v": []})
    with pytest.raises(InputError, match="label must be of shape"):
        Detections(np.array(["v"]), np.array([]), np.ones(1), np.zeros(1), np.ones(1))


def test_the_interval_resamples_the_groups_it_is_given():
    truth = {f"v{index}": [Segment(0, 1, "a")] for index in range(40)}
    found = detections([(f"v{index}", "a", 0.9, 0, 1) for index in range(20)])
    by_video = score_detections(found, truth, thresholds=(0.5,)).interval
    by_person = score_detections(found, truth, thresholds=(0.5,), groups=np.arange(40) // 20).interval
    assert by_video.value == by_person.value
    assert by_person.low == 0 < by_video.low < by_video.high < by_person.high
