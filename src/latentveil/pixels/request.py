"""What is asked for one video, besides its frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows, shortened
from latentveil.video.boxes import Boxes
from latentveil.video.frames import Frame, FrameSource

INSTANT = 1e-4  # seconds by which the times of a video may be rounded

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

    def covers(self, frame: Frame) -> bool:
        """Whether a frame is rewritten: where it is shown in any part of a span. The others stay as they are."""
        until = frame.time + max(0.0, frame.seconds - INSTANT)
        return not self.spans or any(frame.time <= end and start <= until for start, end in self.spans)

    def frames_of(self, source: FrameSource) -> Iterator[Frame]:
        """All frames of a video, each shown until the next one comes; files with varying rates often say less."""
        before: Frame | None = None
        for frame in source.frames():
            if before is not None:
                yield replace(before, seconds=max(before.seconds, frame.time - before.time))
            before = frame
        if before is not None:
            yield before


def is_span(start: float, end: float) -> bool:
    """Whether a frame can lie between these seconds."""
    return 0 <= start < end


def read_spans(path: str | Path) -> dict[str, list[Span]]:
    """Read a CSV with the columns video, start_seconds, end_seconds: {video: spans}."""
    spans: dict[str, list[Span]] = {}
    for row in read_rows(path, required=("video", "start_seconds", "end_seconds"), may_be_empty=True):
        try:
            start, end = float(row["start_seconds"]), float(row["end_seconds"])
        except ValueError as error:
            raise InputError(f"{path} must have seconds as numbers, got {shortened(row)}.") from error
        if not is_span(start, end):
            raise InputError(f"{path} must have 0 <= start_seconds < end_seconds, got {shortened(row)}.")
        spans.setdefault(row["video"], []).append((start, end))
    return spans
