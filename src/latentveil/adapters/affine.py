"""An affine map of a clip and of its video's mean: what every closed-form anonymizer comes down to."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class AffineNetwork(nn.Module):
    """y_t = W x_t + V mean_t(x) + b for the clips x_t of one video, (B, T, D) -> (B, T, D); starts as the identity.

    V = -W takes away what all clips of a video share. The maps are buffers: they are computed, not trained.
    """

    weight: Tensor
    mean_weight: Tensor
    bias: Tensor

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.eye(dim))  # W (D, D)
        self.register_buffer("mean_weight", torch.zeros(dim, dim))  # V (D, D)
        self.register_buffer("bias", torch.zeros(dim))  # b (D,)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        real = mask[..., None].to(features.dtype)  # (B, T, 1)
        mean = (features * real).sum(dim=1) / real.sum(dim=1)  # (B, D)
        return features @ self.weight.T + (mean @ self.mean_weight.T + self.bias)[:, None, :]

    def make_identity(self) -> None:
        """Back to the identity."""
        nn.init.eye_(self.weight)
        nn.init.zeros_(self.mean_weight)
        nn.init.zeros_(self.bias)
