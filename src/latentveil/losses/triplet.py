"""TeD-SPAD's temporal triplet: the same moment seen twice is closer than another moment of the video."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import normalize


def temporal_triplet(anchor: Tensor, same_time: Tensor, other_time: Tensor, *, margin: float = 1.0) -> Tensor:
    """Mean of max(0, |a - s| - |a - o| + margin) over rows (B, D) of unit length, with Euclidean distances."""
    anchor, same_time, other_time = (normalize(rows, dim=-1) for rows in (anchor, same_time, other_time))
    near = ((anchor - same_time).square().sum(-1) + 1e-12).sqrt()
    far = ((anchor - other_time).square().sum(-1) + 1e-12).sqrt()
    return (near - far + margin).clamp_min(0).mean()
