"""Misses counted by hand, and a page that says what was counted."""

import numpy as np

from benchmarks.pages.pixels_plain import longest_run, missed
from latentveil.video.boxes import Boxes


def boxes(*rows):
    return Boxes.of([(frame, 0, np.array(corners), 0.9) for frame, corners in rows], label="face")


def test_a_face_that_is_half_covered_is_a_miss():
    truth = boxes((0, [10, 10, 20, 20]), (1, [10, 10, 20, 20]), (2, [10, 10, 20, 20]))
    covered = boxes((0, [9, 9, 21, 21]), (1, [15, 9, 21, 21]))
    frames, misses = missed(truth, covered, margin=0.0)
    assert frames.tolist() == [0, 1, 2]
    assert misses.tolist() == [False, True, True]
    assert missed(truth, covered, margin=1.0)[1].tolist() == [False, False, True]


def test_the_longest_run_of_misses():
    frames = np.array([0, 1, 2, 5, 6, 9])
    assert longest_run(frames, np.array([True, True, False, True, True, True])) == 2
    assert longest_run(frames, np.zeros(6, dtype=bool)) == 0
