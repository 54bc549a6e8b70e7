"""Boxes in the frames of a video: where people or faces are, found or known, and the CSV file that holds them."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows, shortened
from latentveil.files.outputs import written_whole

REQUIRED = ("video", "frame", "left", "top", "right", "bottom")
COLUMNS = ("video", "frame", "label", "track", "left", "top", "right", "bottom", "score")
LAST_NUMBER = (1 << 62) - 1  # of a frame or a track, as they are stored
FILLED = 0.0  # the score of a box that nobody detected: it fills a gap between two that somebody did


@dataclass(frozen=True, eq=False)
class Boxes:
    """The boxes of one video, in the order of their frames.

    ``frame`` (M,) counts from 0, ``corners`` (M, 4) are left, top, right and bottom in pixels of the upright frame,
    ``score`` (M,) is a detector's confidence, ``track`` (M,) numbers what is followed through time, and ``label`` (M,)
    says what is in the box.
    """

    frame: np.ndarray
    corners: np.ndarray
    score: np.ndarray
    track: np.ndarray
    label: np.ndarray

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, np.ndarray, float]], *, label: str) -> Boxes:
        """Boxes of rows (frame, track, corners (4,), score), all with one label."""
        ordered = sorted(rows, key=lambda row: row[:2])
        return cls(
            frame=np.array([row[0] for row in ordered], dtype=np.int64),
            corners=np.array([row[2] for row in ordered], dtype=np.float32).reshape(-1, 4),
            score=np.array([row[3] for row in ordered], dtype=np.float32),
            track=np.array([row[1] for row in ordered], dtype=np.int64),
            label=np.full(len(ordered), label),
        )

    def __len__(self) -> int:
        return len(self.frame)

    def at(self, frame: int) -> Boxes:
        """The boxes of one frame."""
        first, last = np.searchsorted(self.frame, [frame, frame + 1])
        return self._rows(slice(first, last))

    def labelled(self, label: str) -> Boxes:
        """The boxes with this label."""
        return self._rows(self.label == label)

    def _rows(self, rows: slice | np.ndarray) -> Boxes:
        return Boxes(
            self.frame[rows], self.corners[rows], self.score[rows], self.track[rows], self.label[rows]
        )


def grow(corners: np.ndarray, margin: float | np.ndarray) -> np.ndarray:
    """Boxes (M, 4) with ``margin`` (one, or (M, 1)) times their width and height added on every side."""
    size = corners[:, 2:] - corners[:, :2]
    return np.concatenate([corners[:, :2] - margin * size, corners[:, 2:] + margin * size], axis=1)


def overlap(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """The areas (M, N) that boxes (M, 4) and (N, 4) share."""
    low = np.maximum(one[:, None, :2], two[None, :, :2])
    high = np.minimum(one[:, None, 2:], two[None, :, 2:])
    return np.clip(high - low, 0, None).prod(axis=-1)


def area(corners: np.ndarray) -> np.ndarray:
    """The areas (M,) of boxes (M, 4)."""
    return np.clip(corners[:, 2:] - corners[:, :2], 0, None).prod(axis=-1)


def overlap_by_union(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """The intersection over union (M, N) of boxes (M, 4) and (N, 4)."""
    shared = overlap(one, two)
    return shared / np.maximum(area(one)[:, None] + area(two)[None] - shared, 1e-9)


def write_boxes(path: str | Path, boxes: Mapping[str, Boxes]) -> None:
    """Write the CSV that ``read_boxes`` reads, corners to the tenth of a pixel; there whole or not at all."""
    with (
        written_whole(path) as temporary,
        open(temporary, "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for video, found in boxes.items():
            writer.writerows(csv_rows(video, found))


def csv_rows(video: str, boxes: Boxes) -> Iterable[list[object]]:
    """The lines of one video in the file; of a video without boxes one line, with nothing behind its name."""
    if not len(boxes):
        yield [video, *[""] * (len(COLUMNS) - 1)]
    for row in range(len(boxes)):
        corners = [round(float(value), 1) for value in boxes.corners[row]]
        score = round(float(boxes.score[row]), 3)
        yield [video, int(boxes.frame[row]), boxes.label[row], int(boxes.track[row]), *corners, score]


def read_boxes(path: str | Path) -> dict[str, Boxes]:
    """Read a CSV with the columns video, frame, left, top, right, bottom; label, track and score may be missing.

    A line that names a video and nothing else says that it has no boxes.
    """
    rows: dict[str, list[tuple[int, int, list[float], float, str]]] = {}
    # None at all, where nobody is seen in any video.
    for number, row in enumerate(read_rows(path, required=REQUIRED, may_be_empty=True), start=2):
        found = rows.setdefault(row["video"], [])
        if any(row[name] for name in REQUIRED[1:]):
            found.append(_parsed(row, f"{path}, line {number}"))
    return {video: _boxes_of(found) for video, found in rows.items()}


def _parsed(row: dict[str, str], place: str) -> tuple[int, int, list[float], float, str]:
    try:
        corners = [float(row[name]) for name in ("left", "top", "right", "bottom")]
        frame, track = int(row["frame"]), int(row.get("track") or -1)
        score = float(row.get("score") or 1.0)
    except ValueError as error:
        raise InputError(f"{place} must hold numbers, got {shortened(row)}.") from error
    ordered = corners[0] < corners[2] and corners[1] < corners[3]
    if not 0 <= frame <= LAST_NUMBER or not ordered or not all(map(math.isfinite, (*corners, score))):
        raise InputError(
            f"{place} must have frame >= 0, left < right and top < bottom, all finite, got {shortened(row)}."
        )
    if abs(track) > LAST_NUMBER:
        raise InputError(f"{place} must have a track of at most {LAST_NUMBER}, got {shortened(row)}.")
    return frame, track, corners, score, row.get("label") or ""


def _boxes_of(rows: list[tuple[int, int, list[float], float, str]]) -> Boxes:
    rows = sorted(rows, key=lambda row: row[:2])
    return Boxes(
        frame=np.array([row[0] for row in rows], dtype=np.int64),
        corners=np.array([row[2] for row in rows], dtype=np.float32).reshape(-1, 4),
        score=np.array([row[3] for row in rows], dtype=np.float32),
        track=np.array([row[1] for row in rows], dtype=np.int64),
        label=np.array([row[4] for row in rows], dtype=str),
    )
