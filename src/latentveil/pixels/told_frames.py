"""A video that tells how far it was read: one long file is hours of work, in two passes where regions are covered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from latentveil.video.frames import Frame, FrameSource

FRAMES_BETWEEN = 100


class ToldFrames(FrameSource):
    """The frames of ``source``; ``tell`` hears the number of every hundredth, ``last`` is the last one read."""

    def __init__(self, source: FrameSource, tell: Callable[[int], None]) -> None:
        super().__init__(source.path)
        self.source, self.tell = source, tell
        self.is_image = source.is_image
        self.last: Frame | None = None

    @property
    def pixel_aspect(self) -> Fraction | None:
        return self.source.pixel_aspect

    @property
    def clock(self) -> Fraction | None:
        return self.source.clock

    @property
    def num_frames(self) -> int:
        return self.source.num_frames

    def frames(self) -> Iterator[Frame]:
        for frame in self.source.frames():
            if frame.index and frame.index % FRAMES_BETWEEN == 0:
                self.tell(frame.index)
            self.last = frame
            yield frame

    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        return self.source.frames_at(indices)
