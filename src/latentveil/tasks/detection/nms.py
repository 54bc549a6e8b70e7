"""Gaussian soft-NMS of time segments, all classes at once, and segment voting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LENGTH_EPSILON = 1e-6  # added to every length, so that points in time have an IoU too
FLOOR_EVERY = 32  # steps until the lowest score of interest is found anew
FIRST_WIDTH = 128  # segments of each class that are looked at in the beginning
CATCH_UP = 8  # taken segments that a late one is compared with at a time


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

    Every step takes one segment of each class. Scores only fall, which saves most of the work: a class is done once
    its best score cannot be among the best ``max_segments`` of all, and a segment is left alone until its first score
    is the best that is left.
    """
    race = _Race.start(segments, np.log(scores), classes, sigma=sigma)
    taken: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    num_taken, floor = 0, float(np.log(min_score))
    for step in range(min(max_segments, race.longest)):
        if step % FLOOR_EVERY == 0 and num_taken >= max_segments:
            floor = max(floor, _nth_largest(np.concatenate([part[1] for part in taken]), max_segments))
        best = race.advance(floor)
        if len(best) == 0:
            break
        rows = np.arange(len(best))
        taken.append((race.index[rows, best], race.score[rows, best], race.label))
        num_taken += len(best)
        race.take(best)
    return _best_first(taken, max_segments)


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
class _Race:
    """The segments of all classes on their way through soft-NMS, a row per class, ordered by their first scores.

    Shapes: ``label`` (C,); ``taken`` (C, steps) the columns taken so far; everything else (C, longest). ``score`` is a
    logarithm, -inf where there is no segment (any more); it is up to date in the first ``width`` columns.
    """

    label: np.ndarray
    index: np.ndarray
    score: np.ndarray
    start_time: np.ndarray
    end_time: np.ndarray
    length: np.ndarray
    taken: np.ndarray
    sigma: float
    width: int = 0
    num_steps: int = 0

    @classmethod
    def start(
        cls, segments: np.ndarray, scores: np.ndarray, classes: np.ndarray | None, *, sigma: float
    ) -> _Race:
        classes = np.zeros(len(scores), dtype=np.int64) if classes is None else classes
        label, row, counts = np.unique(classes, return_inverse=True, return_counts=True)
        order = np.lexsort((-scores, row))  # stable
        row = row[order]
        column = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        longest = int(counts.max(initial=0))

        def spread(values: np.ndarray, empty: float) -> np.ndarray:
            table = np.full((len(label), longest), empty, dtype=np.result_type(values.dtype, np.int64))
            table[row, column] = values[order]
            return table

        start, end = spread(segments[:, 0], 0), spread(segments[:, 1], 0)
        return cls(
            label=label,
            index=spread(np.arange(len(scores)), 0),
            score=spread(scores, -np.inf),
            start_time=start,
            end_time=end,
            length=end - start + LENGTH_EPSILON,
            taken=np.zeros((len(label), longest), dtype=np.int64),
            sigma=sigma,
            width=min(FIRST_WIDTH, longest),
        )

    @property
    def longest(self) -> int:
        return self.score.shape[1]

    def advance(self, floor: float) -> np.ndarray:
        """Drop the classes without a score of at least ``floor``; give the column of the best score of the others."""
        while True:
            best = self.score[:, : self.width].argmax(axis=1)
            top = self.score[np.arange(len(best)), best]
            waiting = self.score[:, self.width] if self.width < self.longest else np.full(len(top), -np.inf)
            going = np.maximum(top, waiting) >= floor
            if not going.all():
                self._keep_rows(going)
                best, top, waiting = best[going], top[going], waiting[going]
            if not (top < waiting).any():
                return best
            self._widen()

    def take(self, best: np.ndarray) -> None:
        """Take the column ``best`` (C,) of each row and lower the scores of those it overlaps."""
        self.taken[:, self.num_steps] = best
        self.num_steps += 1
        self._suppress(best[:, None], slice(0, self.width))
        self.score[np.arange(len(best)), best] = -np.inf

    def _widen(self) -> None:
        """Bring some more columns up to date."""
        columns = slice(self.width, min(self.width + max(FIRST_WIDTH, self.width // 4), self.longest))
        for first in range(0, self.num_steps, CATCH_UP):
            self._suppress(self.taken[:, first : min(first + CATCH_UP, self.num_steps)], columns)
        self.width = columns.stop

    def _suppress(self, taken: np.ndarray, columns: slice) -> None:
        """Lower the scores of some ``columns`` by what the columns ``taken`` (C, P) of their row overlap of them."""
        rows = np.arange(len(taken))[:, None]
        end, start = self.end_time[:, None, columns], self.start_time[:, None, columns]  # (C, 1, W)
        inner = np.minimum(end, self.end_time[rows, taken][:, :, None])  # (C, P, W)
        inner -= np.maximum(start, self.start_time[rows, taken][:, :, None])
        np.maximum(inner, 0, out=inner)
        outer = self.length[:, None, columns] + self.length[rows, taken][:, :, None]
        outer -= inner
        inner /= outer
        inner *= inner
        inner /= self.sigma
        self.score[:, columns] -= inner.sum(axis=1) if taken.shape[1] > 1 else inner[:, 0]

    def _keep_rows(self, rows: np.ndarray) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, value[rows])


def _nth_largest(values: np.ndarray, n: int) -> float:
    return float(np.partition(values, len(values) - n)[len(values) - n])


def _best_first(taken: list[tuple[np.ndarray, np.ndarray, np.ndarray]], max_segments: int) -> Suppressed:
    if not taken:
        return Suppressed(index=np.zeros(0, dtype=np.int64), scores=np.zeros(0))
    index, scores, label = (np.concatenate(parts) for parts in zip(*taken))
    order = np.lexsort((np.arange(len(label)), label, -scores))[:max_segments]  # steps are in order already
    return Suppressed(index=index[order], scores=np.exp(scores[order]))
