"""Gaussian soft-NMS of time segments within classes, and segment voting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LENGTH_EPSILON = 1e-6  # added to every length, so that points in time have an IoU too
FIRST_WIDTH = 128  # segments of a class that are looked at in the beginning
BLOCK = 64  # segments of a class among which the next ones are taken
TABLE = 16_384  # pairs of segments that are compared at a time: their table stays in the cache


@dataclass(frozen=True)
class Suppressed:
    """The segments that soft-NMS kept, best first: ``index`` (K,) into the input and the lowered ``scores`` (K,)."""

    index: np.ndarray
    scores: np.ndarray


def soft_nms(
    segments: np.ndarray,
    scores: np.ndarray,
    *,
    classes: np.ndarray | None = None,
    sigma: float = 0.5,
    min_score: float = 0.001,
    max_segments: int = 2000,
) -> Suppressed:
    """The best ``max_segments`` of all classes after Gaussian soft-NMS within each class (Bodla et al. 2017).

    Shapes: ``segments`` (N, 2), ``scores`` (N,) > 0, ``classes`` (N,) integers, or None for one class. Within a class:
    take the segment with the highest score (of equal ones the first), multiply the scores of the others by
    exp(-IoU^2 / sigma), repeat until none has ``min_score``. Of equal final scores the lower class comes first.

    Scores only fall, which saves most of the work. The class with the best score goes on; while its best few stay
    ahead of all its others, they are taken one after the other without looking at the others; and a segment is left
    alone until its first score is the best that is left. All ends once no score can be among the best
    ``max_segments``.
    """
    lanes = _lanes(segments, sigma * np.log(scores), classes)
    taken: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    num_taken, floor = 0, sigma * float(np.log(min_score))
    while lanes and (lane := max(lanes, key=lambda lane: lane.best)).best >= floor:
        taken.append(lane.take_block(floor))
        num_taken += len(taken[-1][0])
        if num_taken >= max_segments:
            floor = max(floor, _nth_largest(np.concatenate([part[1] for part in taken]), max_segments))
    return _best_first(taken, max_segments, sigma=sigma)


def vote(segments: np.ndarray, scores: np.ndarray, kept: np.ndarray, *, min_iou: float) -> np.ndarray:
    """Each of ``kept`` (K, 2) moved to the score-weighted mean of all ``segments`` (N, 2) with at least ``min_iou``."""
    iou = pairwise_iou(kept, segments)  # (K, N)
    weight = np.where(iou >= min_iou, scores, 0.0)
    total = weight.sum(axis=1, keepdims=True)
    return np.where(total > 0, weight @ segments / np.where(total > 0, total, 1), kept)


def pairwise_iou(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The IoU (K, N) of segments (K, 2) with segments (N, 2)."""
    inner = np.minimum(first[:, None, 1], second[:, 1]) - np.maximum(first[:, None, 0], second[:, 0])
    inner = inner.clip(min=0)
    lengths = (first[:, 1] - first[:, 0])[:, None] + (second[:, 1] - second[:, 0]) + 2 * LENGTH_EPSILON
    return inner / (lengths - inner)


@dataclass
class _Lane:
    """The segments of one class on their way through soft-NMS, ordered by their first scores.

    Shapes: ``index``, ``score``, ``start``, ``end`` and ``length`` (N,); ``taken`` are the rows taken so far, in order.
    ``score`` is sigma times a logarithm, so that an overlap costs IoU^2; it is -inf where a segment was taken, and up
    to date in the first ``width`` rows. No score is above ``best``.
    """

    label: int
    index: np.ndarray
    score: np.ndarray
    start: np.ndarray
    end: np.ndarray
    width: int
    best: float
    taken: np.ndarray

    def __post_init__(self) -> None:
        self.length = self.end - self.start + LENGTH_EPSILON

    def take_block(self, floor: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take the best segments one by one for as long as they lead; their index, score and label."""
        while self._top() < self._waiting():
            self._widen()
        rows, others = self._leaders()
        limit = max(self._waiting(), floor)
        score = self.score[rows]
        cost = self._overlap(rows, rows)  # (B, B)
        np.fill_diagonal(cost, np.inf)  # what is taken is gone
        places, scores = [], []
        for _ in range(len(rows)):
            place = int(score.argmax())
            top = float(score[place])
            if top <= others or top < limit:
                break
            places.append(place)
            scores.append(top)
            score -= cost[place]
        taken = rows[places]
        self.taken = np.concatenate([self.taken, taken])
        self._suppress(taken, slice(0, self.width))
        self.score[taken] = -np.inf
        self.best = max(self._top(), self._waiting())
        return self.index[taken], np.array(scores), np.full(len(taken), self.label)

    def _top(self) -> float:
        return float(self.score[: self.width].max())

    def _waiting(self) -> float:
        """The best score of the rows that are not up to date; at equal scores they come later."""
        return float(self.score[self.width]) if self.width < len(self.score) else -np.inf

    def _leaders(self) -> tuple[np.ndarray, float]:
        """The rows (B,) of the best scores, in order, and the best score of the others.

        Where the best score is one of many equal ones, its first row leads alone.
        """
        score = self.score[: self.width]
        if self.width <= BLOCK:
            return np.arange(self.width), -np.inf
        others = float(np.partition(score, self.width - BLOCK - 1)[self.width - BLOCK - 1])
        rows = np.flatnonzero(score > others)
        return (rows, others) if len(rows) else (np.array([score.argmax()]), -np.inf)

    def _widen(self) -> None:
        """Bring some more rows up to date."""
        rows = slice(self.width, min(self.width + max(FIRST_WIDTH, self.width // 4), len(self.score)))
        self._suppress(self.taken, rows)
        self.width = rows.stop

    def _suppress(self, taken: np.ndarray, rows: slice) -> None:
        """Lower the scores of ``rows`` by what the rows ``taken`` (K,) overlap of them.

        One taken segment after the other, so that equal segments keep equal scores to the last bit.
        """
        together = max(1, TABLE // (rows.stop - rows.start))
        score = self.score[rows]
        for first in range(0, len(taken), together):
            for cost in self._overlap(taken[first : first + together], rows):
                score -= cost

    def _overlap(self, taken: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        """IoU^2 (K, M) of the rows ``taken`` (K,) with other ``rows`` (M,)."""
        inner = np.minimum(self.end[rows], self.end[taken, None])
        inner -= np.maximum(self.start[rows], self.start[taken, None])
        np.maximum(inner, 0, out=inner)
        outer = self.length[rows] + self.length[taken, None]
        outer -= inner
        inner /= outer
        inner *= inner
        return inner


def _lanes(segments: np.ndarray, scores: np.ndarray, classes: np.ndarray | None) -> list[_Lane]:
    classes = np.zeros(len(scores), dtype=np.int64) if classes is None else classes
    lanes = []
    for label in np.unique(classes):
        index = np.flatnonzero(classes == label)
        index = index[np.argsort(-scores[index], kind="stable")]
        lane = _Lane(
            label=int(label),
            index=index,
            score=scores[index],
            start=segments[index, 0],
            end=segments[index, 1],
            width=min(FIRST_WIDTH, len(index)),
            best=float(scores[index[0]]),
            taken=np.zeros(0, dtype=np.int64),
        )
        lanes.append(lane)
    return lanes


def _nth_largest(values: np.ndarray, n: int) -> float:
    return float(np.partition(values, len(values) - n)[len(values) - n])


def _best_first(
    taken: list[tuple[np.ndarray, np.ndarray, np.ndarray]], max_segments: int, *, sigma: float
) -> Suppressed:
    if not taken:
        return Suppressed(index=np.zeros(0, dtype=np.int64), scores=np.zeros(0))
    index, scores, label = (np.concatenate(parts) for parts in zip(*taken))
    order = np.lexsort((np.arange(len(label)), label, -scores))[
        :max_segments
    ]  # each class is in order already
    return Suppressed(index=index[order], scores=np.exp(scores[order] / sigma))
