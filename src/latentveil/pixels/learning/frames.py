"""The frames of training videos at one size: short videos stay in memory, of long ones single frames are decoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from latentveil.errors import InputError
from latentveil.extraction.inputs import VideoInput
from latentveil.files.place_files import local_file
from latentveil.video.decode import open_video
from latentveil.video.views import resize

# Long videos of which it stays known where their frames lie in the file: some megabytes for each hour.
INDEXED_VIDEOS = 32


class FrameCache:
    """Frames (K, size, size, 3) uint8 of videos, stretched to a square.

    A video that fits into what is left of ``megabytes`` when it is first asked for is decoded once and kept. Any other
    never is in memory as a whole: its frames are decoded when they are wanted.
    """

    def __init__(self, videos: Sequence[VideoInput], *, size: int, megabytes: int) -> None:
        self.paths = {one.video: one.path for one in videos}
        self.size = size
        self._room = megabytes * 1_000_000
        self._kept: dict[str, np.ndarray] = {}
        self._lengths: dict[str, int] = {}  # of videos that are not kept
        self._open = lru_cache(maxsize=INDEXED_VIDEOS)(open_video)

    def num_frames(self, video: str) -> int:
        """How many frames a video has."""
        kept = self._find(video)
        return self._lengths[video] if kept is None else len(kept)

    def frames_at(self, video: str, places: np.ndarray) -> np.ndarray:
        """The frames (K, size, size, 3) with the numbers ``places`` (K,), in any order, some of them twice."""
        kept = self._find(video)
        if kept is not None:
            return kept[places]
        wanted, order = np.unique(places, return_inverse=True)
        with local_file(self.paths[video]) as here:
            frames = [self._shrunk(frame.rgb) for frame in self._open(here).frames_at(wanted.tolist())]
        return np.stack(frames)[order]

    def _find(self, video: str) -> np.ndarray | None:
        """All frames (F, size, size, 3) of a video that is kept, from now on if there is room; of another None."""
        if video in self._kept or video in self._lengths:
            return self._kept.get(video)
        with local_file(self.paths[video]) as here, _advice():
            source = self._open(here)
            if source.num_frames * 3 * self.size**2 > self._room:
                self._lengths[video] = source.num_frames
                return None
            frames = np.stack([self._shrunk(frame.rgb) for frame in source.frames()])
        self._room -= frames.nbytes
        self._kept[video] = frames
        return frames

    def _shrunk(self, rgb: np.ndarray) -> np.ndarray:
        return resize(rgb, self.size, self.size)


@contextmanager
def _advice() -> Iterator[None]:
    """Say what to do about a video that cannot be read: a training that has begun would end with every such one."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"{error} Training reads every video of the labels: mend this one, or take its row out. "
            "`veil extract` of the folder tells all that cannot be read."
        ) from error
