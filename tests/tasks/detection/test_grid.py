import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.tasks.detection.grid import TimeGrid


def constant_grid(num_clips, stride, fps, clip_frames=16):
    frames = stride * np.arange(num_clips)
    return TimeGrid.build(frames, frames / fps, clip_frames=clip_frames, single_clip_fps=30)


@given(
    num_clips=st.integers(2, 40),
    stride=st.sampled_from([4, 8, 16]),
    fps=st.floats(5, 60),
    position=st.floats(-5, 50),
)
def test_constant_rate_is_the_formula_of_the_paper(num_clips, stride, fps, position):
    grid = constant_grid(num_clips, stride, fps)
    seconds = (position * stride + 8) / fps
    assert grid.to_grid(np.array(seconds)) == pytest.approx(position, abs=1e-6)
    duration = ((num_clips - 1) * stride + 16) / fps
    assert grid.end_seconds == pytest.approx(duration)
    assert grid.to_seconds(np.array(position)) == pytest.approx(min(max(seconds, 0), duration), abs=1e-9)


def test_a_changing_frame_rate_is_followed_clip_by_clip():
    # two clips at 16 fps, then 8 fps: centres 0.5 and 1.5 s, then (8 fps) 3 s and 5 s
    grid = TimeGrid.build(
        np.array([0, 16, 32, 48]), np.array([0.0, 1.0, 2.0, 4.0]), clip_frames=16, single_clip_fps=30
    )
    np.testing.assert_allclose(grid.centres, [0.5, 1.5, 3.0, 5.0])
    np.testing.assert_allclose(grid.to_grid(np.array([[1.0, 2.25], [4.0, 6.0]])), [[0.5, 1.5], [2.5, 3.5]])
    assert grid.end_seconds == 6


def test_a_single_clip_has_a_grid():
    unknown = TimeGrid.build(np.array([0]), np.array([0.0]), clip_frames=16, single_clip_fps=32)
    np.testing.assert_allclose(unknown.to_grid(np.array([0.0, 0.25, 0.5])), [-0.5, 0, 0.5])
    known = TimeGrid.build(np.array([16]), np.array([1.0]), clip_frames=16, single_clip_fps=32)
    assert known.end_seconds == 2


def test_refuses_clips_that_do_not_follow_each_other():
    with pytest.raises(InputError, match="must grow"):
        TimeGrid.build(np.array([0, 0]), np.array([0.0, 0.0]), clip_frames=16, single_clip_fps=30)


@pytest.mark.parametrize("num_clips", [1, 3])
def test_unknown_times_are_refused_with_what_to_do(num_clips):
    frames = 16 * np.arange(num_clips)
    with pytest.raises(
        InputError, match=r"times of clips must be known .* Import the features with their frame rate"
    ):
        TimeGrid.build(frames, np.full(num_clips, np.nan), clip_frames=16, single_clip_fps=30)
