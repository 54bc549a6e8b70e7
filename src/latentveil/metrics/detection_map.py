"""Mean average precision of timed detections at several overlaps (the ActivityNet and THUMOS14 protocol)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Segment
from latentveil.metrics.intervals import SHARE, Halves, interval_over_groups
from latentveil.types import Interval

THUMOS_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
DUPLICATE_SECONDS = 1e-3  # two segments of one label whose ends are both closer than this are one


@dataclass(frozen=True, eq=False)
class Detections:
    """Found segments, one per row; all columns are (N,)."""

    video: np.ndarray
    label: np.ndarray
    score: np.ndarray
    start_seconds: np.ndarray
    end_seconds: np.ndarray

    def __post_init__(self) -> None:
        for name, column in vars(self).items():
            if column.shape != self.score.shape or column.ndim != 1:
                raise InputError(
                    f"{name} must be of shape {self.score.shape} like score, got {column.shape}."
                )

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True)
class DetectionScore:
    """mAP over all thresholds with its interval over people (or videos), at each threshold, and on halves."""

    interval: Interval
    by_threshold: dict[float, float]
    halves: Halves


@dataclass(frozen=True, eq=False)
class ClassMatches:
    """What average precision needs of one class: its H right detections, best first.

    Shapes: ``right`` (K, H) says at which of K thresholds they are right, at least at one; ``video`` (H,) indexes the
    V videos; ``rank`` (V, H) counts how many detections of each video come no later; ``num_true`` (V,) counts the
    segments of this class in each video.
    """

    video: np.ndarray
    rank: np.ndarray
    right: np.ndarray
    num_true: np.ndarray


def score_detections(
    detections: Detections,
    truth: Mapping[str, Sequence[Segment]],
    *,
    groups: np.ndarray | None = None,
    seed: int = 0,
    thresholds: Sequence[float] = THUMOS_THRESHOLDS,
    num_resamples: int = 1000,
) -> DetectionScore:
    """The mAP of ``detections`` against ``truth`` (every video of the split, also those without a segment).

    The interval resamples ``groups`` (V,), the person of each video of ``truth``, or videos if None.
    """
    matches = match_detections(detections, truth, thresholds=thresholds)
    everything = np.ones((1, len(truth)))
    by_threshold = mean_average_precision(matches, everything)[0]  # (K,)
    groups = np.arange(len(truth)) if groups is None else groups

    def over_thresholds(weights: np.ndarray) -> np.ndarray:
        return mean_average_precision(matches, weights).mean(axis=1)

    interval = interval_over_groups(
        over_thresholds, groups, seed=seed, num_resamples=num_resamples, limits=SHARE
    )
    return DetectionScore(
        interval, dict(zip(map(float, thresholds), by_threshold.tolist())), Halves.of(over_thresholds, groups)
    )


def match_detections(
    detections: Detections, truth: Mapping[str, Sequence[Segment]], *, thresholds: Sequence[float]
) -> list[ClassMatches]:
    """Match the detections of every class that ``truth`` holds.

    In the order of falling scores (equal ones as they come), a detection is right if a segment of its video and
    class that no earlier one has taken overlaps it with an IoU of at least the threshold; it takes the one with the
    largest IoU. Detections of classes without any segment do not count.
    """
    place = {video: index for index, video in enumerate(truth)}
    strangers = set(np.unique(detections.video).tolist()) - set(place)
    if strangers:
        raise InputError(
            f"detections must be of videos in truth, got {min(strangers)!r}. Give truth a row (maybe empty) for it."
        )
    segments = {video: _without_duplicates(found) for video, found in truth.items()}
    labels = sorted({segment.label for found in segments.values() for segment in found})
    if not labels:
        raise InputError("truth must hold at least one segment, got none.")
    video = np.array([place[name] for name in detections.video.tolist()], dtype=np.int64)
    true_by_label = {label: _of_label(segments, label) for label in labels}
    return [
        _match_class(detections, video, label, true_by_label[label], thresholds=thresholds)
        for label in labels
    ]


def mean_average_precision(matches: Sequence[ClassMatches], weights: np.ndarray) -> np.ndarray:
    """mAP (R, K) at K thresholds of the videos that ``weights`` (R, V) draw, NaN where no segment is left.

    The mean is over the classes of which a segment is left. A video that is drawn twice has each detection twice, side
    by side; the envelope sees the precision after the second only.
    """
    precisions = np.stack([_average_precision(match, weights) for match in matches])  # (C, R, K)
    counted = ~np.isnan(precisions)
    total = np.where(counted, precisions, 0).sum(axis=0)
    number = counted.sum(axis=0)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _average_precision(match: ClassMatches, weights: np.ndarray) -> np.ndarray:
    """The area (R, K) under the monotone envelope of precision over recall, all steps of recall (VOC 2011)."""
    num_true = weights @ match.num_true  # (R,)
    rank = weights @ match.rank  # (R, H)
    gained = weights[:, match.video]  # (R, H); recall grows here and nowhere else
    areas = np.zeros((len(weights), len(match.right)))
    for index, right in enumerate(match.right):
        hits = gained[:, right]
        precision = np.cumsum(hits, axis=1) / np.maximum(rank[:, right], 1)
        envelope = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        areas[:, index] = (hits * envelope).sum(axis=1)
    return np.where(num_true[:, None] > 0, areas / np.maximum(num_true, 1)[:, None], np.nan)


def _match_class(
    detections: Detections,
    video: np.ndarray,
    label: str,
    true: list[np.ndarray],
    *,
    thresholds: Sequence[float],
) -> ClassMatches:
    """Match the detections of one class; ``video`` (N,) indexes ``true``, the segments (G, 2) of each video."""
    rows = np.flatnonzero(detections.label == label)
    rows = rows[np.argsort(-detections.score[rows], kind="stable")]
    found = np.stack([detections.start_seconds[rows], detections.end_seconds[rows]], axis=1)  # (P, 2)
    right = np.zeros((len(thresholds), len(rows)), dtype=bool)
    for index, places in _groups(video[rows]):
        if len(true[index]):
            iou = _iou(found[places], true[index])
            for row, threshold in enumerate(thresholds):
                right[row, places] = _take_in_turn(iou, threshold)
    hits = np.flatnonzero(right.any(axis=0))  # (H,)
    rank = np.zeros((len(true), len(hits) + 1))
    np.add.at(rank, (video[rows], np.searchsorted(hits, np.arange(len(rows)))), 1)
    return ClassMatches(
        video=video[rows[hits]],
        rank=np.cumsum(rank, axis=1)[:, :-1],
        right=right[:, hits],
        num_true=np.array([len(part) for part in true], dtype=np.float64),
    )


def _take_in_turn(iou: np.ndarray, threshold: float) -> np.ndarray:
    """Which rows (P,) of ``iou`` (P, G) get a column: each in turn the best one left that reaches ``threshold``."""
    rows, columns = np.nonzero(iou >= threshold)
    order = np.lexsort((columns, -iou[rows, columns], rows))
    right, taken = [False] * iou.shape[0], [False] * iou.shape[1]
    for row, column in zip(rows[order].tolist(), columns[order].tolist()):
        if not right[row] and not taken[column]:
            right[row] = taken[column] = True
    return np.array(right)


def _groups(values: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each value with its places in ``values`` (N,), in order."""
    order = np.argsort(values, kind="stable")
    names, starts = np.unique(values[order], return_index=True)
    yield from zip(names.tolist(), np.split(order, starts[1:]))


def _iou(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """IoU (P, G) of segments (P, 2) and (G, 2); the latter have a length."""
    inner = np.minimum(found[:, None, 1], true[:, 1]) - np.maximum(found[:, None, 0], true[:, 0])
    inner = inner.clip(min=0)
    return inner / ((found[:, 1] - found[:, 0])[:, None] + (true[:, 1] - true[:, 0]) - inner)


def _without_duplicates(segments: Sequence[Segment]) -> list[Segment]:
    """The segments with a length, each once."""
    kept: list[Segment] = []
    for segment in segments:
        known = any(
            segment.label == other.label
            and abs(segment.start_seconds - other.start_seconds) <= DUPLICATE_SECONDS
            and abs(segment.end_seconds - other.end_seconds) <= DUPLICATE_SECONDS
            for other in kept
        )
        if segment.end_seconds > segment.start_seconds and not known:
            kept.append(segment)
    return kept


def _of_label(segments: Mapping[str, Sequence[Segment]], label: str) -> list[np.ndarray]:
    """Per video the segments (G, 2) of one label."""
    return [
        np.array([(s.start_seconds, s.end_seconds) for s in found if s.label == label]).reshape(-1, 2)
        for found in segments.values()
    ]
