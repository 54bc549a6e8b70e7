"""How well an attack or a head knows the answer: average precision, F1, top-1 accuracy, and their chance levels.

Every metric takes optional weights (R, N), how often each item counts in each of R resamples, and then returns (R,):
this is the form that ``intervals.interval_over_groups`` asks for.
"""

from __future__ import annotations

import numpy as np

# The papers' F1 calls an answer positive at logit > 0.5, not at probability 0.5.
PAPER_THRESHOLD = float(1 / (1 + np.exp(-0.5)))


def average_precision(
    target: np.ndarray, score: np.ndarray, weights: np.ndarray | None = None
) -> float | np.ndarray:
    """Average precision of scores (N,) for targets (N,) of 0 and 1; NaN where there is no positive.

    The sum over thresholds of precision times the step in recall; equal scores enter together, so a constant
    score has the prevalence as its average precision.
    """
    order = np.argsort(-score, kind="stable")
    sorted_score = score[order]
    ends = np.append(
        np.flatnonzero(np.diff(sorted_score)), len(score) - 1
    )  # last item of each run of equal scores
    positive = target[order].astype(np.float64)
    w = np.ones((1, len(score))) if weights is None else weights[:, order]
    hits = np.cumsum(w * positive, axis=1)[:, ends]  # (R, thresholds)
    called = np.cumsum(w, axis=1)[:, ends]
    steps = np.diff(hits, axis=1, prepend=0.0)
    total = hits[:, -1]
    area = (steps * hits / np.maximum(called, 1.0)).sum(axis=1)
    values = np.where(total > 0, area / np.maximum(total, 1.0), np.nan)
    return _scalar_unless_weighted(values, weights)


def average_precision_per_class(target: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """One-against-rest average precision (C,) for classes (N,) and probabilities (N, C); NaN for absent classes."""
    classes = range(probabilities.shape[1])
    return np.array([average_precision(target == c, probabilities[:, c]) for c in classes])


def class_mean_average_precision(target: np.ndarray, probabilities: np.ndarray) -> float:
    """cMAP: the mean of the classes' average precisions over the classes that occur in ``target``."""
    present = np.unique(target)
    return float(np.mean(average_precision_per_class(target, probabilities)[present]))


def multi_label_cmap(targets: np.ndarray, scores: np.ndarray) -> float:
    """cMAP of several attributes at once, targets (N, C) of 0 and 1, over the attributes that have a positive."""
    present = np.flatnonzero(targets.any(axis=0))
    if len(present) == 0:
        return float("nan")
    return float(np.mean([average_precision(targets[:, c], scores[:, c]) for c in present]))


def f1(target: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of 0/1 predictions (N,) for targets (N,) of 0 and 1; 0 where nothing is found."""
    hits = np.sum((target == 1) & (predicted == 1))
    wrong = np.sum((target == 1) != (predicted == 1))
    return float(2 * hits / (2 * hits + wrong)) if hits else 0.0


def f1_of_probabilities(target: np.ndarray, probabilities: np.ndarray, *, threshold: float = 0.5) -> float:
    """F1 where probability > threshold means yes: of class 1 for two classes, else the mean over present classes.

    Shapes: ``target`` (N,), ``probabilities`` (N, C). ``PAPER_THRESHOLD`` gives the papers' ``logit > 0.5``.
    """
    classes = [1] if probabilities.shape[1] == 2 else np.unique(target)
    return float(np.mean([f1(target == c, probabilities[:, c] > threshold) for c in classes]))


def top1_accuracy(
    target: np.ndarray, probabilities: np.ndarray, weights: np.ndarray | None = None
) -> float | np.ndarray:
    """The share of items whose most probable class (the first of equals) is ``target`` (N,); (N, C) probabilities."""
    correct = (probabilities.argmax(axis=1) == target).astype(np.float64)
    w = np.ones((1, len(target))) if weights is None else weights
    return _scalar_unless_weighted(w @ correct / w.sum(axis=1), weights)


def prevalence(target: np.ndarray, weights: np.ndarray | None = None) -> float | np.ndarray:
    """The share of positives: the chance level of average precision."""
    w = np.ones((1, len(target))) if weights is None else weights
    return _scalar_unless_weighted(w @ (target == 1) / w.sum(axis=1), weights)


def majority_share(target: np.ndarray, weights: np.ndarray | None = None) -> float | np.ndarray:
    """The share of the class that is most frequent in ``target`` (N,): the chance level of top-1 accuracy."""
    classes, counts = np.unique(target, return_counts=True)
    w = np.ones((1, len(target))) if weights is None else weights
    return _scalar_unless_weighted(w @ (target == classes[counts.argmax()]) / w.sum(axis=1), weights)


def blind_accuracy(
    target: np.ndarray, frequency: np.ndarray, weights: np.ndarray | None = None
) -> float | np.ndarray:
    """The top-1 accuracy for classes (N,) of somebody who knows how frequent they are, (C,), and sees no feature.

    The better of two: always naming the most frequent class (any of equals), and naming each as often as it occurs.
    """
    w = np.ones((1, len(target))) if weights is None else weights
    shares = w @ np.eye(len(frequency))[target] / w.sum(axis=1, keepdims=True)  # (R, C)
    most_frequent = np.isclose(frequency, frequency.max())
    always, as_often = shares[:, most_frequent].mean(axis=1), shares @ frequency
    return _scalar_unless_weighted(np.maximum(always, as_often), weights)


def _scalar_unless_weighted(values: np.ndarray, weights: np.ndarray | None) -> float | np.ndarray:
    return float(values[0]) if weights is None else values
