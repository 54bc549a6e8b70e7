"""Videos of any length as a fixed number of segments, each the mean of the clips it covers."""

from __future__ import annotations

import torch
from torch import Tensor


def pool_segments(features: Tensor, mask: Tensor, *, num_segments: int = 32) -> Tensor:
    """Average the clips (B, T, D) of each video into segments (B, S, D); ``mask`` (B, T) leads with the real clips.

    Segment i of a video with L clips covers the clips from floor(i·L/S) up to floor((i + 1)·L/S), or the first of
    them where that is none: short videos repeat their clips.
    """
    weights = segment_weights(mask.sum(1), num_segments=num_segments, num_clips=features.shape[1])
    return weights.to(features.dtype) @ features


def segment_weights(lengths: Tensor, *, num_segments: int, num_clips: int) -> Tensor:
    """How much each clip counts in each segment, (B, S, T), rows summing to 1, for videos of ``lengths`` (B,) clips."""
    borders = (
        torch.arange(num_segments + 1, device=lengths.device) * lengths[:, None] // num_segments
    )  # (B, S + 1)
    starts = borders[:, :-1, None]  # (B, S, 1)
    ends = torch.maximum(borders[:, 1:, None], starts + 1)
    clips = torch.arange(num_clips, device=lengths.device)
    inside = (clips >= starts) & (clips < ends)  # (B, S, T)
    return inside / (ends - starts)
