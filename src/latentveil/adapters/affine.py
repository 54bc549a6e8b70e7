"""An affine map of a clip and of the mean around it: what every closed-form anonymizer comes down to."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.network import Network
from latentveil.config import Section
from latentveil.errors import InputError


class WindowOptions(Section):
    """``window`` clips around each clip are averaged; 0 for the whole video."""

    window: int = Field(0, ge=0, le=1 << 20)


class AffineNetwork(nn.Module):
    """y_t = W x_t + V m_t + b, (B, T, D) -> (B, T, D), with m_t a mean of the video's clips; starts as the identity.

    ``window`` says over which clips: an odd number of them around clip t, fewer at the ends of the video; 0 for the
    whole video. The maps are buffers: they are computed, not trained.
    """

    weight: Tensor
    mean_weight: Tensor
    bias: Tensor

    def __init__(self, dim: int, *, window: int = 0) -> None:
        super().__init__()
        require_window(window)
        self.window = window
        self.register_buffer("weight", torch.eye(dim))  # W (D, D)
        self.register_buffer("mean_weight", torch.zeros(dim, dim))  # V (D, D)
        self.register_buffer("bias", torch.zeros(dim))  # b (D,)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        mean = windowed_mean(features, mask, self.window)
        return features @ self.weight.T + mean @ self.mean_weight.T + self.bias

    def make_identity(self) -> None:
        """Back to the identity."""
        nn.init.eye_(self.weight)
        nn.init.zeros_(self.mean_weight)
        nn.init.zeros_(self.bias)


def require_window(window: int) -> None:
    """Refuse a window that has no clip in its middle."""
    if window < 0 or (window and window % 2 == 0):
        raise InputError(f"window must be 0 (the whole video) or odd, got {window}.")


def windowed_mean(features: Tensor, mask: Tensor, window: int) -> Tensor:
    """The mean of the real clips within ``window`` around each clip: (B, T, D), or (B, 1, D) for the whole video."""
    real = mask[..., None].to(features.dtype)  # (B, T, 1)
    if window == 0:
        return (features * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)

    def sums(values: Tensor) -> Tensor:
        """The sum over each clip's window, (B, T, C) -> (B, T, C)."""
        padded = F.pad(values, (0, 0, window // 2 + 1, window // 2))
        totals = padded.double().cumsum(dim=1)
        return (totals[:, window:] - totals[:, :-window]).to(values.dtype)

    return sums(features * real) / sums(real).clamp_min(1)


network = Network(
    name="affine",
    build=lambda dim, options: AffineNetwork(dim, window=options.window),
    describe=lambda _: "affine map, computed in closed form",
    about="An affine map of a clip and of the mean around it, in closed form.",
    Options=WindowOptions,
    make_identity=AffineNetwork.make_identity,
)
