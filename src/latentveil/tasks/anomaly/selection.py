"""Which segments stand for a video: those of greatest magnitude, some of them hidden at random in training."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def select_by_magnitude(magnitudes: Tensor, *, top_k: int, dropout: float, training: bool) -> Tensor:
    """The places (B, K) of the ``top_k`` greatest magnitudes (B, T); fewer where there are fewer segments.

    In training every magnitude is set to zero with probability ``dropout``, so that the choice does not settle on
    the same segments too early.
    """
    kept = nn.functional.dropout(torch.ones_like(magnitudes), p=dropout, training=training)
    return (magnitudes * kept).topk(min(top_k, magnitudes.shape[1]), dim=1).indices


def video_scores(scores: Tensor, chosen: Tensor) -> Tensor:
    """The mean score (B,) of the ``chosen`` segments (B, K) out of scores (B, T)."""
    return scores.gather(1, chosen).mean(1)


def gather_segments(features: Tensor, chosen: Tensor) -> Tensor:
    """The features (B, N, K, C) of the ``chosen`` segments (B, K) of every crop, out of (B, N, T, C)."""
    places = chosen[:, None, :, None].expand(-1, features.shape[1], -1, features.shape[3])
    return features.gather(2, places)
