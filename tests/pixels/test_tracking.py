"""Tracks have no gaps: what is seen before and after was there in between."""

import numpy as np

from latentveil.pixels.tracking import Following, follow, single_frames
from latentveil.video.boxes import FILLED

FOLLOWING = Following(sure=0.5, unsure=0.1, gap_frames=5, tail_frames=2)


def box(left, top=0.0, *, score=0.9, side=10.0):
    return [left, top, left + side, top + side, score]


def frames(*boxes):
    return [np.array(found, dtype=np.float32).reshape(-1, 5) for found in boxes]


def lefts(boxes, track=0):
    rows = boxes.track == track
    return dict(zip(boxes.frame[rows].tolist(), boxes.corners[rows, 0].tolist()))


def test_a_gap_is_filled_on_a_straight_line():
    found = follow(frames([box(0)], [], [], [box(6)]), FOLLOWING, label="face")
    assert lefts(found) == {0: 0, 1: 2, 2: 4, 3: 6}
    assert (found.score == FILLED).tolist() == [False, True, True, False]
    assert set(found.label.tolist()) == {"face"}


def test_a_gap_that_is_too_long_stays_but_for_the_tails():
    empty = [[]] * 8
    found = follow(frames([box(0)], *empty, [box(0)]), FOLLOWING, label="face")
    assert found.frame.tolist() == [0, 1, 2, 7, 8, 9]
    assert len(set(found.track.tolist())) == 2


def test_tails_end_with_the_video():
    found = follow(frames([], [], [], [box(3)], []), FOLLOWING, label="face")
    assert found.frame.tolist() == [1, 2, 3, 4]


def test_a_faint_box_counts_beside_a_clear_one_only():
    faint = box(0, score=0.2)
    beside = follow(frames([faint], [faint], [box(0)], [faint]), FOLLOWING, label="face")
    assert (beside.score[[0, 1, 3]] == np.float32(0.2)).all()  # before the clear one, too
    assert len(follow(frames([faint], [faint], [faint]), FOLLOWING, label="face")) == 0


def test_two_that_pass_each_other_keep_their_tracks():
    ways = [[box(4 * step, 0), box(40 - 4 * step, 30)] for step in range(11)]
    found = follow(frames(*ways), FOLLOWING, label="face")
    assert lefts(found, 0) == {step: 4 * step for step in range(11)}
    assert lefts(found, 1) == {step: 40 - 4 * step for step in range(11)}


def test_a_fast_one_is_followed_by_its_speed():
    ways = [[box(12 * step)] for step in range(6)]  # boxes do not touch from frame to frame
    assert set(follow(frames(*ways), FOLLOWING, label="face").track.tolist()) == {0}


def test_without_tracking_a_gap_is_a_gap():
    found = single_frames(frames([box(0)], [], [box(0, score=0.2)]), FOLLOWING, label="face")
    assert found.frame.tolist() == [0]


def test_a_video_without_anything_has_no_boxes():
    assert len(follow(frames([], []), FOLLOWING, label="face")) == 0
    assert len(follow([], FOLLOWING, label="face")) == 0
