"""Between seconds and the grid, on which the n-th clip of a video lies at n."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError


@dataclass(frozen=True, eq=False)
class TimeGrid:
    """Where the clips of one video are: their ``centres`` (T,) and the end of the last one, in seconds.

    Between two clips, and beyond the first and the last, time runs evenly; with a constant frame rate and stride this
    is t = (position * stride_frames + clip_frames / 2) / fps.
    """

    centres: np.ndarray
    end_seconds: float
    single_step: float  # seconds from one position to the next where there is one clip only

    @classmethod
    def build(
        cls, start_frame: np.ndarray, time: np.ndarray, *, clip_frames: int, single_clip_fps: float
    ) -> TimeGrid:
        """The grid of clips that start at ``start_frame`` (T,) and ``time`` (T,) seconds, in order.

        ``single_clip_fps`` is the frame rate of a video with a single clip at its very beginning, which tells none.
        """
        start_frame, time = np.asarray(start_frame, dtype=np.float64), np.asarray(time, dtype=np.float64)
        if np.isnan(time).any():
            raise InputError(
                "times of clips must be known to find when something happens, got unknown ones. Import the features "
                "with their frame rate (fps), or extract them from their videos."
            )
        frames, seconds = np.diff(start_frame), np.diff(time)
        if not (frames > 0).all() or not (seconds > 0).all():
            raise InputError(
                f"start_frame and time must grow from clip to clip of a video, got {start_frame} and {time}."
            )
        if len(time) > 1:
            frame_seconds = seconds / frames  # (T - 1,)
            frame_seconds = np.append(frame_seconds, frame_seconds[-1])  # (T,)
        else:
            known = start_frame[0] > 0 and time[0] > 0
            frame_seconds = time / start_frame if known else np.full(1, 1 / single_clip_fps)
        clip_seconds = clip_frames * frame_seconds  # (T,)
        return cls(
            centres=time + clip_seconds / 2,
            end_seconds=float(time[-1] + clip_seconds[-1]),
            single_step=float(clip_seconds[-1]),
        )

    def to_grid(self, seconds: np.ndarray) -> np.ndarray:
        """The positions of moments (any shape)."""
        first, last = self._end_steps()
        seconds = np.asarray(seconds, dtype=np.float64)
        before = np.minimum(seconds - self.centres[0], 0) / first
        after = np.maximum(seconds - self.centres[-1], 0) / last
        return np.interp(seconds, self.centres, np.arange(len(self.centres))) + before + after

    def to_seconds(self, positions: np.ndarray) -> np.ndarray:
        """The moments of positions (any shape), cut off at the beginning and end of the video."""
        first, last = self._end_steps()
        positions = np.asarray(positions, dtype=np.float64)
        before = np.minimum(positions, 0) * first
        after = np.maximum(positions - (len(self.centres) - 1), 0) * last
        inside = np.interp(positions, np.arange(len(self.centres)), self.centres)
        return (inside + before + after).clip(0, self.end_seconds)

    def _end_steps(self) -> tuple[float, float]:
        """The seconds from the first clip to the second, and from the last but one to the last."""
        if len(self.centres) == 1:
            return self.single_step, self.single_step
        return float(self.centres[1] - self.centres[0]), float(self.centres[-1] - self.centres[-2])
