"""The magnitude contrastive loss of MGFN: feature magnitudes agree within a class and differ between classes."""

from __future__ import annotations

import torch
from torch import Tensor


def magnitude_contrastive(
    normal: Tensor, anomalous: Tensor, *, margin: float = 200.0, between_weight: float = 1.0
) -> Tensor:
    """``between_weight`` times the push between the classes, plus the pull within each of them, a scalar.

    Shapes: ``normal`` and ``anomalous`` (N, K, D), the features of the K segments chosen in each of N videos (or
    crops of videos). A class is pulled together by comparing its first half with its second half, row by row.
    """
    normal, anomalous = segment_magnitudes(normal), segment_magnitudes(anomalous)  # (N, K)
    pairs = min(len(normal), len(anomalous))
    between = push_apart(normal[:pairs], anomalous[:pairs], margin=margin)
    return between_weight * between + pull_halves(normal) + pull_halves(anomalous)


def magnitude_contrastive_of_all_pairs(
    normal: Tensor, anomalous: Tensor, *, margin: float = 200.0, between_weight: float = 1.0
) -> Tensor:
    """The same as Eq. 13 of SPLAVU is written: sums of distances over all pairs of videos, a scalar.

    Within a class a pair adds its distance, and every pair counts twice, as p, q and as q, p; a pair of different
    classes adds max(0, margin - distance). (Eq. 13 prints no max; without it the magnitudes would be driven apart for
    ever.)
    """
    normal, anomalous = segment_magnitudes(normal), segment_magnitudes(anomalous)  # (N, K)
    between = (margin - _distances(normal, anomalous)).clamp(min=0).sum()
    pulls = [_distances(rows, rows)[_off_diagonal(rows)].sum() for rows in (normal, anomalous)]
    return between_weight * between + pulls[0] + pulls[1]


def _distances(first: Tensor, second: Tensor) -> Tensor:
    """The Euclidean distances (N, M) between the rows of (N, K) and (M, K)."""
    return _length(first[:, None] - second[None])


def _length(differences: Tensor) -> Tensor:
    """The Euclidean lengths of (..., K)."""
    # The root has no slope at zero; the shift keeps the gradient of equal rows finite.
    return (differences.square().sum(-1) + 1e-12).sqrt()


def _off_diagonal(rows: Tensor) -> Tensor:
    return ~torch.eye(len(rows), dtype=torch.bool, device=rows.device)


def segment_magnitudes(features: Tensor) -> Tensor:
    """The L1 norms (N, K) of features (N, K, D)."""
    return features.abs().sum(-1)


def push_apart(first: Tensor, second: Tensor, *, margin: float) -> Tensor:
    """Mean of max(0, margin - d)², d the Euclidean distance between the rows of two (N, K)."""
    return (margin - _length(first - second)).clamp(min=0).square().mean()


def pull_halves(magnitudes: Tensor) -> Tensor:
    """Mean squared distance between the rows of the first and the second half of (N, K); 0 for a single row."""
    half = len(magnitudes) // 2
    if half == 0:
        return magnitudes.new_zeros(())
    differences = magnitudes[:half] - magnitudes[-half:]
    return differences.square().sum(-1).mean()
