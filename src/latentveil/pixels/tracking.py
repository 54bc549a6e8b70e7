"""From boxes in single frames to tracks without gaps, so that nobody slips through for a frame or two.

All frames are known before the first track is: a faint box before a clear one belongs to its track as one after does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from latentveil.video.boxes import FILLED, Boxes, grow, overlap_by_union

# Boxes of consecutive frames show one thing if they overlap this much once each side is grown by half.
REACH = 0.5
LEAST_OVERLAP = 0.1

Row = tuple[int, int, np.ndarray, float]  # frame, track, corners (4,), score


@dataclass(frozen=True)
class Following:
    """How tracks are made: a box of score ``sure`` or more begins one, boxes from ``unsure`` on continue it.

    Up to ``gap_frames`` frames without a box are filled; ``tail_frames`` are added before the first box and after the
    last, where a face turns away or comes in.
    """

    sure: float
    unsure: float
    gap_frames: int
    tail_frames: int


@dataclass
class _Track:
    """One thing followed through time: its boxes by frame."""

    frames: list[int] = field(default_factory=list)
    corners: list[np.ndarray] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def add(self, frame: int, box: np.ndarray) -> None:
        self.frames.append(frame)
        self.corners.append(box[:4])
        self.scores.append(float(box[4]))

    def expected(self, frame: int) -> np.ndarray:
        """Where its box (4,) should be: moved on as between its last two boxes, for as long as these are apart."""
        if len(self.frames) < 2:
            return self.corners[-1]
        apart = self.frames[-1] - self.frames[-2]
        steps = min(frame - self.frames[-1], apart)
        return self.corners[-1] + (self.corners[-1] - self.corners[-2]) * steps / apart


def follow(found: Iterable[np.ndarray], following: Following, *, label: str) -> Boxes:
    """The boxes of all tracks, gaps filled (score 0), from what was found in each frame, (K, 5)."""
    tracks: list[_Track] = []
    active: list[_Track] = []
    frame = -1
    for frame, boxes in enumerate(found):
        active = [track for track in active if frame - track.frames[-1] <= following.gap_frames + 1]
        begun = _continue_tracks(active, boxes[boxes[:, 4] >= following.unsure], frame)
        tracks += begun
        active += begun
    kept = [track for track in tracks if max(track.scores) >= following.sure]
    rows = [row for number, track in enumerate(kept) for row in _filled(track, number, frame + 1, following)]
    return Boxes.of(rows, label=label)


def single_frames(found: Iterable[np.ndarray], following: Following, *, label: str) -> Boxes:
    """The sure boxes of each frame, nothing followed: what most tools do."""
    rows = [
        (frame, number, box[:4], float(box[4]))
        for frame, boxes in enumerate(found)
        for number, box in enumerate(boxes[boxes[:, 4] >= following.sure])
    ]
    return Boxes.of(rows, label=label)


def _continue_tracks(active: list[_Track], boxes: np.ndarray, frame: int) -> list[_Track]:
    """Give each box to the track that it overlaps most, best pairs first; return new tracks for the others."""
    free = set(range(len(boxes)))
    if active and len(boxes):
        expected = np.stack([track.expected(frame) for track in active])
        shared = overlap_by_union(grow(expected, REACH), grow(boxes[:, :4], REACH))
        while shared.max() > LEAST_OVERLAP:
            track, box = divmod(int(shared.argmax()), len(boxes))
            active[track].add(frame, boxes[box])
            free.discard(box)
            shared[track], shared[:, box] = 0, 0
    begun = []
    for left in sorted(free):
        begun.append(_Track())
        begun[-1].add(frame, boxes[left])
    return begun


def _filled(track: _Track, number: int, num_frames: int, following: Following) -> Iterator[Row]:
    """The rows of a track: its boxes, those between them, and its tails."""
    first, last = track.frames[0], track.frames[-1]
    for frame in range(max(0, first - following.tail_frames), first):
        yield frame, number, track.corners[0], FILLED
    for frame, corners, score in zip(track.frames, track.corners, track.scores):
        yield frame, number, corners, score
    ends = zip(pairwise(track.frames), pairwise(track.corners))
    for (before, after), (one, two) in ends:
        for frame in range(before + 1, after):
            share = (frame - before) / (after - before)
            yield frame, number, (1 - share) * one + share * two, FILLED
    for frame in range(last + 1, min(num_frames, last + 1 + following.tail_frames)):
        yield frame, number, track.corners[-1], FILLED
