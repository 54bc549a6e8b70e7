"""The frames of training videos at one size, decoded once and kept as long as there is room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.extraction.inputs import VideoInput
from latentveil.files.place_files import local_file
from latentveil.video.decode import open_video
from latentveil.video.views import resize


class FrameCache:
    """Frames (F, size, size, 3) uint8 of videos; the first ones read stay in memory up to ``megabytes``."""

    def __init__(self, videos: Sequence[VideoInput], *, size: int, megabytes: int) -> None:
        self.paths = {one.video: one.path for one in videos}
        self.size = size
        self._room = megabytes * 1_000_000
        self._kept: dict[str, np.ndarray] = {}

    def frames(self, video: str) -> np.ndarray:
        """All frames of a video, stretched to a square."""
        if video in self._kept:
            return self._kept[video]
        with local_file(self.paths[video]) as here:
            source = open_video(here)
            frames = np.stack([resize(frame.rgb, self.size, self.size) for frame in source.frames()])
        if frames.nbytes <= self._room:
            self._room -= frames.nbytes
            self._kept[video] = frames
        return frames
