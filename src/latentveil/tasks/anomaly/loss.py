"""The loss of MGFN: classification of the chosen segments, smoothness, sparsity and magnitude contrast."""

from __future__ import annotations

import torch
from einops import rearrange, reduce
from torch import Tensor, nn

from latentveil.losses.magnitude import magnitude_contrastive, magnitude_contrastive_of_all_pairs
from latentveil.losses.smoothness import smoothness
from latentveil.losses.sparsity import sparsity
from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig
from latentveil.tasks.anomaly.selection import gather_segments, select_by_magnitude, video_scores


def mgfn_terms(
    embedded: Tensor, scores: Tensor, anomalous: Tensor, *, config: MGFNConfig, training: bool
) -> dict[str, Tensor]:
    """The terms of the loss, each a scalar without its weight.

    Shapes: ``embedded`` (B, N, S, C) for N crops, ``scores`` (B, S) in [0, 1], ``anomalous`` (B,) bool.
    """
    magnitudes = reduce(torch.linalg.vector_norm(embedded, dim=-1), "b n s -> b s", "mean")
    chosen = select_by_magnitude(
        magnitudes, top_k=config.top_k, dropout=config.selection_dropout, training=training
    )
    selected = gather_segments(embedded, chosen)  # (B, N, K, C)
    weights = config.weights
    normal, abnormal = _crop_major(selected[~anomalous]), _crop_major(selected[anomalous])
    contrast = (
        magnitude_contrastive_of_all_pairs if weights.magnitude_pairs == "all" else magnitude_contrastive
    )
    return {
        "classification": nn.functional.binary_cross_entropy(
            video_scores(scores, chosen), anomalous.to(scores.dtype)
        ),
        "smoothness": smoothness(scores if weights.smooth_videos == "all" else scores[anomalous]),
        "sparsity": sparsity(
            scores[~anomalous if weights.sparse_videos == "normal" else anomalous],
            order=weights.sparsity_order,
        ),
        "magnitude": contrast(normal, abnormal, margin=config.margin, between_weight=weights.between),
    }


def weighted_sum(terms: dict[str, Tensor], weights: LossWeights) -> Tensor:
    """The classification plus every other term times its weight."""
    return (
        terms["classification"]
        + weights.smoothness * terms["smoothness"]
        + weights.sparsity * terms["sparsity"]
        + weights.magnitude * terms["magnitude"]
    )


def _crop_major(selected: Tensor) -> Tensor:
    """All crops of all videos one after another, (N·B, K, C), the first crop of every video first."""
    return rearrange(selected, "b n k c -> (n b) k c")
