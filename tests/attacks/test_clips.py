"""The clips of a video together: values worked by hand, a loop written out, and what must not matter."""

import numpy as np
import pytest

from latentveil.attacks.clips import LEAST_VARIANCE, CourseOfClips, fit_course

VIDEO = np.array(["b", "a", "b", "a", "b", "c"])  # two clips of a, three of b, one of c, mixed but in order
FEATURE = np.array([[0.0], [1.0], [2.0], [5.0], [7.0], [9.0]], dtype=np.float32)
AS_IS = CourseOfClips(np.eye(1, dtype=np.float32), np.ones(2))


def test_trend_by_hand():
    """The line through 0, 2, 7 rises by 3.5 a clip, twice; a single clip goes nowhere."""
    videos, trend = AS_IS.trend(FEATURE, VIDEO)
    assert videos.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(trend, [[4.0], [7.0], [0.0]], rtol=1e-6)


def test_spread_by_hand():
    """Clips 1 and 5 have a variance of 8; 0, 2, 7 have one of 13, and half the mean square of steps 2 and 5 is 7.25."""
    videos, spread = AS_IS.spread(FEATURE, VIDEO)
    assert videos.tolist() == ["a", "b", "c"]
    squared = np.exp(2 * spread.astype(np.float64)) - LEAST_VARIANCE
    np.testing.assert_allclose(squared, [[8.0, 8.0], [13.0, 7.25], [1.0, 1.0]], rtol=1e-5)


def test_mean_and_course_stand_side_by_side():
    videos, everything = AS_IS.everything(FEATURE, VIDEO)
    assert videos.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(everything[:, 0], [3.0, 3.0, 9.0])
    assert everything.shape == (3, 4)


def test_what_moves_all_clips_of_a_video_alike_does_not_matter():
    random = np.random.default_rng(0)
    video = np.repeat([f"v{number:02}" for number in range(20)], 4)
    feature = random.normal(size=(80, 5)).astype(np.float32)
    moved = feature + 3 * np.repeat(random.normal(size=(20, 5)), 4, axis=0).astype(np.float32)
    for look in ("spread", "trend"):
        before, after = (getattr(fit_course(rows, video), look)(rows, video)[1] for rows in (feature, moved))
        np.testing.assert_allclose(np.abs(before), np.abs(after), atol=1e-3)


@pytest.mark.parametrize(
    "feature",
    [
        np.repeat(np.arange(6.0), 2)[:, None] + 0.1,
        1e4 + np.repeat(np.arange(6.0), 2)[:, None] + 1e-3 * np.arange(12.0)[:, None],
    ],
)
def test_equal_clips_have_no_course(feature):
    assert fit_course(feature.astype(np.float32), np.repeat(list("abcdef"), 2)) is None


def test_single_clips_have_no_course():
    assert fit_course(np.arange(6.0, dtype=np.float32)[:, None], np.array(list("abcdef"))) is None
