"""What is asked for one video, besides its frames."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[float, float]  # from and to, in seconds after the first frame


@dataclass(frozen=True)
class VideoRequest:
    """The key of a video, and the time ``spans`` in which it is rewritten (none: all of it)."""

    video: str = ""
    spans: tuple[Span, ...] = ()

    def covers(self, time: float) -> bool:
        """Whether the frame at ``time`` seconds is rewritten; the others stay as they are."""
        return not self.spans or any(start <= time <= end for start, end in self.spans)
