"""Frame-level metrics against scikit-learn on repeated frames, and a ground truth that refuses wrong lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from latentveil.errors import InputError
from latentveil.labels import Segment
from latentveil.metrics.frame_metrics import (
    FrameCounts,
    concatenate_counts,
    count_segment_frames,
    frame_average_precision,
    frame_roc_auc,
    label_frames,
)


def count_frames(labels, *, clip_frames):
    """The counts of consecutive clips, from a label of 0 or 1 per frame."""
    anomalous = labels.reshape(-1, clip_frames).sum(axis=1)
    return FrameCounts(anomalous=anomalous, normal=clip_frames - anomalous)


@given(st.integers(0, 10_000))
def test_equal_scikit_learn_on_scores_repeated_frame_by_frame(seed):
    random = np.random.default_rng(seed)
    num_clips = int(random.integers(2, 12))
    labels = random.integers(0, 2, num_clips * 4)
    labels[:2] = [0, 1]
    scores = random.integers(0, 6, num_clips) / 6  # few values: many ties
    counts = count_frames(labels, clip_frames=4)
    frames = np.repeat(scores, 4)
    assert frame_roc_auc(counts, scores) == pytest.approx(roc_auc_score(labels, frames), abs=1e-12)
    assert frame_average_precision(counts, scores) == pytest.approx(
        average_precision_score(labels, frames), abs=1e-12
    )


def test_weights_count_clips_as_often_as_they_were_drawn():
    random = np.random.default_rng(0)
    counts = FrameCounts(anomalous=random.integers(0, 5, 8), normal=random.integers(0, 5, 8))
    scores = random.random(8)
    weights = random.integers(0, 3, (5, 8)).astype(float)
    for metric in (frame_roc_auc, frame_average_precision):
        for row, value in zip(weights.astype(int), metric(counts, scores, weights)):
            drawn = FrameCounts(
                anomalous=np.repeat(counts.anomalous, row), normal=np.repeat(counts.normal, row)
            )
            assert value == pytest.approx(metric(drawn, np.repeat(scores, row)), abs=1e-12)


def test_auc_by_hand():
    # Anomalous frames score 0.9, 0.9, 0.2; normal ones 0.9, 0.1: pairs won 2 x (1/2 + 1) + (0 + 1) = 4 of 6.
    counts = FrameCounts(anomalous=np.array([2, 1, 0]), normal=np.array([1, 0, 1]))
    assert frame_roc_auc(counts, np.array([0.9, 0.2, 0.1])) == pytest.approx(4 / 6)


def test_metrics_are_nan_without_both_kinds_of_frames():
    only_normal = FrameCounts(anomalous=np.array([0, 0]), normal=np.array([4, 4]))
    assert np.isnan(frame_roc_auc(only_normal, np.array([0.1, 0.2])))
    assert np.isnan(frame_average_precision(only_normal, np.array([0.1, 0.2])))


def test_events_include_both_ends_and_may_reach_beyond_the_end():
    assert label_frames([(1, 2), (6, 99)], num_frames=8).tolist() == [0, 1, 1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("event", [(-1, 3), (5, 4), (8, 9)])
def test_refuses_events_that_no_video_of_this_length_has(event):
    with pytest.raises(InputError, match="events must"):
        label_frames([event], num_frames=8)


def test_refuses_scores_of_another_length():
    counts = FrameCounts(anomalous=np.zeros(2, int), normal=np.full(2, 16))
    with pytest.raises(InputError, match="one per clip"):
        frame_roc_auc(counts, np.zeros(3))


def test_segments_in_seconds_count_the_same_frames_as_events_in_frames():
    events = [(10, 40), (70, 90)]
    segments = [Segment(round(first / 30, 3), round((last + 1) / 30, 3), "fall") for first, last in events]
    from_frames = count_frames(label_frames(events, num_frames=96), clip_frames=16)
    from_seconds = count_segment_frames(segments, np.arange(6) * 16, frame_rate=30.0)
    np.testing.assert_array_equal(from_seconds.anomalous, from_frames.anomalous)
    np.testing.assert_array_equal(from_seconds.normal, from_frames.normal)


def test_a_clip_answers_for_the_frames_up_to_the_next_one():
    counts = count_segment_frames(
        [Segment(0.0, 1.5, "x")], np.array([0, 4, 20]), frame_rate=8.0, clip_frames=16
    )
    assert counts.anomalous.tolist() == [4, 8, 0]
    assert counts.normal.tolist() == [0, 8, 16]
    together = concatenate_counts([counts, counts])
    assert together.anomalous.tolist() == [4, 8, 0, 4, 8, 0]


@pytest.mark.parametrize(
    ("start_frame", "frame_rate"), [([0, 16, 16], 30.0), ([0, 16], float("nan")), ([0, 16], 0.0)]
)
def test_refuses_clips_out_of_order_and_unknown_frame_rates(start_frame, frame_rate):
    with pytest.raises(InputError, match="must"):
        count_segment_frames([], np.array(start_frame), frame_rate=frame_rate)
