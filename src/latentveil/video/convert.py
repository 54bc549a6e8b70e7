"""From what FFmpeg decodes to upright RGB frames of one size."""

from __future__ import annotations

import av
import numpy as np
from av.video.reformatter import VideoReformatter

from latentveil.video.decoding import Effort
from latentveil.video.frames import Frame


class FrameConverter:
    """Turns decoded frames into upright RGB of the first frame's size, through one shared reformatter."""

    def __init__(self, stream: av.VideoStream, effort: Effort) -> None:
        self._effort = effort
        self._reformatter = VideoReformatter()
        self._seconds_per_frame = 1 / stream.average_rate if stream.average_rate else 0.0
        self._size: tuple[int, int] | None = None
        self.start_pts: int | None = None

    def start(self, frame: av.VideoFrame) -> None:
        """Take the size and the start time from the first frame of the file."""
        self._size = (frame.width, frame.height)
        if self.start_pts is None:
            self.start_pts = frame.pts

    def __call__(self, index: int, frame: av.VideoFrame) -> Frame:
        if self._size is None:
            self.start(frame)
        width, height = self._size or (frame.width, frame.height)
        with self._effort.counted():
            converted = self._reformatter.reformat(
                frame, width=width, height=height, format="rgb24", threads=1
            )
            rgb: np.ndarray = converted.to_ndarray()  # (H, W, 3)
        quarter_turns = round(frame.rotation / 90) % 4
        if quarter_turns:
            rgb = np.ascontiguousarray(np.rot90(rgb, quarter_turns))
        if frame.pts is None or self.start_pts is None or frame.time_base is None:
            mean = float(self._seconds_per_frame)
            return Frame(index, index * mean, rgb, mean)
        shown = frame.duration * frame.time_base if frame.duration else self._seconds_per_frame
        return Frame(index, float((frame.pts - self.start_pts) * frame.time_base), rgb, float(shown))
