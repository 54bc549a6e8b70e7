"""What is asked for one video, besides its frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from latentveil.video.boxes import Boxes
from latentveil.video.frames import Frame

Span = tuple[float, float]  # from and to, in seconds after the first frame


@dataclass(frozen=True)
class VideoRequest:
    """The key of a video, and the time ``spans`` in which it is rewritten (none: all of it).

    For anonymizers that cover regions: ``boxes`` to cover instead of what a detector finds; ``on_boxes`` hears of the
    boxes that are covered, ``on_doubt`` of rewritten frames that somebody should look at, with the reason.
    """

    video: str = ""
    spans: tuple[Span, ...] = ()
    boxes: Boxes | None = None
    on_boxes: Callable[[Boxes], None] | None = None
    on_doubt: Callable[[Frame, str], None] | None = None

    def covers(self, time: float) -> bool:
        """Whether the frame at ``time`` seconds is rewritten; the others stay as they are."""
        return not self.spans or any(start <= time <= end for start, end in self.spans)
