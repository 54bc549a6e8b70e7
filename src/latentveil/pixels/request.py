"""What is asked for one video, besides its frames."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latentveil.errors import InputError
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


def read_spans(path: str | Path) -> dict[str, list[Span]]:
    """Read a CSV with the columns video, start_seconds, end_seconds: {video: spans}."""
    spans: dict[str, list[Span]] = {}
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                start, end = float(row["start_seconds"]), float(row["end_seconds"])
                if not 0 <= start < end:
                    raise InputError(f"{path} must have 0 <= start_seconds < end_seconds, got {row}.")
                spans.setdefault(row["video"], []).append((start, end))
    except (OSError, KeyError, TypeError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} must be a CSV file with video, start_seconds and end_seconds, got: {error!r}."
        ) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} must have seconds as numbers, got: {error}.") from error
    return spans
