"""Frame-level ROC AUC and average precision of clip scores, and the ground truth that they are held against.

A clip's score holds for all frames it answers for, so counting its anomalous and normal frames gives exactly the
metrics of the scores repeated frame by frame, at a fraction of the cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Segment


@dataclass(frozen=True, eq=False)
class FrameCounts:
    """How many anomalous and how many normal frames each clip answers for, (N,) each."""

    anomalous: np.ndarray
    normal: np.ndarray

    def __len__(self) -> int:
        return len(self.anomalous)


def concatenate_counts(parts: Sequence[FrameCounts]) -> FrameCounts:
    """The counts of several videos one after another."""
    return FrameCounts(
        anomalous=np.concatenate([part.anomalous for part in parts]),
        normal=np.concatenate([part.normal for part in parts]),
    )


def label_frames(events: Sequence[tuple[int, int]], *, num_frames: int) -> np.ndarray:
    """Frame labels (F,) of 0 and 1 from events (first frame, last frame), both included and counted from 0.

    An event may reach beyond the last frame (features often lack a video's tail), but must not start there.
    """
    labels = np.zeros(num_frames, dtype=np.int64)
    for first, last in events:
        if not 0 <= first <= last:
            raise InputError(f"events must have 0 <= first frame <= last frame, got {first} and {last}.")
        if first >= num_frames:
            raise InputError(
                f"events must start within the video's {num_frames} frames, got one from frame {first}. "
                "Check that annotations and features are of the same video and frame rate."
            )
        labels[first : last + 1] = 1
    return labels


def count_segment_frames(
    segments: Sequence[Segment], start_frame: np.ndarray, *, frame_rate: float, clip_frames: int = 16
) -> FrameCounts:
    """The counts of clips that start at ``start_frame`` (T,), from timed anomalous segments.

    A clip answers for the frames up to the next clip, the last one (and one alone) for ``clip_frames`` frames.
    """
    if not frame_rate > 0:
        raise InputError(f"frame_rate must be positive, got {frame_rate}. Extract with times known.")
    ends = np.append(start_frame[1:], start_frame[-1] + clip_frames)
    if (ends <= start_frame).any():
        raise InputError(f"start_frame must grow from clip to clip, got {start_frame.tolist()[:8]}.")
    frames = np.arange(start_frame[0], ends[-1])
    seconds = frames / frame_rate
    inside = np.zeros(len(frames), dtype=np.int64)
    for segment in segments:
        # Half a frame of tolerance: a time written as a decimal must not lose the frame it was made from.
        margin = 0.5 / frame_rate
        inside[(seconds >= segment.start_seconds - margin) & (seconds < segment.end_seconds - margin)] = 1
    anomalous = np.add.reduceat(inside, start_frame - start_frame[0])
    return FrameCounts(anomalous=anomalous, normal=(ends - start_frame) - anomalous)


def frame_roc_auc(
    counts: FrameCounts, scores: np.ndarray, weights: np.ndarray | None = None
) -> float | np.ndarray:
    """The area under the ROC curve over frames for clip scores (N,): equal scores count half; NaN with one class.

    With ``weights`` (R, N), how often each clip counts in each of R resamples, the areas (R,).
    """
    anomalous, normal = _per_threshold(counts, scores, weights)  # (R, thresholds), scores falling
    above = np.cumsum(anomalous, axis=1) - anomalous / 2
    pairs = anomalous.sum(1) * normal.sum(1)
    won = (normal * above).sum(1)
    values = np.where(pairs > 0, won / np.maximum(pairs, 1), np.nan)
    return float(values[0]) if weights is None else values


def frame_average_precision(
    counts: FrameCounts, scores: np.ndarray, weights: np.ndarray | None = None
) -> float | np.ndarray:
    """The average precision over frames for clip scores (N,); NaN without an anomalous frame. Weights as above."""
    anomalous, normal = _per_threshold(counts, scores, weights)
    hits = np.cumsum(anomalous, axis=1)
    called = np.cumsum(anomalous + normal, axis=1)
    total = hits[:, -1]
    area = (anomalous * hits / np.maximum(called, 1)).sum(1)
    values = np.where(total > 0, area / np.maximum(total, 1), np.nan)
    return float(values[0]) if weights is None else values


def _per_threshold(
    counts: FrameCounts, scores: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Anomalous and normal frames (R, thresholds) at each distinct score, from the highest to the lowest."""
    if scores.shape != counts.anomalous.shape:
        raise InputError(f"scores must be one per clip, ({len(counts)},), got {scores.shape}.")
    order = np.argsort(-scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
    drawn = np.ones((1, len(scores))) if weights is None else weights
    anomalous = np.add.reduceat(drawn[:, order] * counts.anomalous[order], starts, axis=1)
    normal = np.add.reduceat(drawn[:, order] * counts.normal[order], starts, axis=1)
    return anomalous, normal
