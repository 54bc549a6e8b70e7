"""Timed events of videos: the segments CSV (one row per event), or the same in memory."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows, shortened

COLUMNS = ("video", "start_seconds", "end_seconds", "label")


@dataclass(frozen=True)
class Segment:
    """A timed event of a video."""

    start_seconds: float
    end_seconds: float
    label: str


SegmentsLike = str | Path | Mapping[str, Sequence[Segment | tuple[float, float, str]]]


def as_segments(given: SegmentsLike | None) -> dict[str, list[Segment]] | None:
    """Segments read from a CSV file, or {video: segments or (start_seconds, end_seconds, label)}, sorted by time."""
    if given is None:
        return None
    if isinstance(given, str | Path):
        return read_segments(given)
    return {
        video: _in_time_order(_from_memory(video, item) for item in items) for video, items in given.items()
    }


def read_segments(path: str | Path) -> dict[str, list[Segment]]:
    """Read a CSV with the columns video, start_seconds, end_seconds, label: {video: segments in time order}."""
    segments: dict[str, list[Segment]] = {}
    for row in read_rows(path, required=COLUMNS):
        try:
            segment = Segment(float(row["start_seconds"]), float(row["end_seconds"]), row["label"])
        except ValueError as error:
            raise InputError(
                f"{path}: start_seconds and end_seconds must be numbers, got {shortened(row)}."
            ) from error
        if not _passes_time(segment):
            raise InputError(
                f"{path}: segments must have 0 <= start_seconds < end_seconds, got {shortened(row)}."
            )
        segments.setdefault(row["video"], []).append(segment)
    return {video: _in_time_order(found) for video, found in segments.items()}


def write_segments(path: str | Path, segments: Mapping[str, Sequence[Segment]]) -> None:
    """Write the CSV that ``read_segments`` reads, times to the microsecond."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for video, found in segments.items():
            writer.writerows(
                [video, round(s.start_seconds, 6), round(s.end_seconds, 6), s.label] for s in found
            )


def _from_memory(video: str, item: Segment | tuple[float, float, str]) -> Segment:
    """A segment of ``video``, or an error where it is none."""
    try:
        start, end, label = (
            (item.start_seconds, item.end_seconds, item.label) if isinstance(item, Segment) else item
        )
        segment = Segment(float(start), float(end), str(label))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"segments must be (start_seconds, end_seconds, label) with times in numbers, got {shortened(item)} of "
            f"{video!r}."
        ) from error
    if not _passes_time(segment):
        raise InputError(
            f"segments must have 0 <= start_seconds < end_seconds, got {shortened(item)} of {video!r}."
        )
    return segment


def _passes_time(segment: Segment) -> bool:
    return 0 <= segment.start_seconds < segment.end_seconds < float("inf")


def _in_time_order(segments: Iterable[Segment]) -> list[Segment]:
    return sorted(segments, key=lambda segment: segment.start_seconds)
