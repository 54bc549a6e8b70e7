"""The whole frame blurred, and the blur that covered regions share."""

from __future__ import annotations

import math

import torch
from einops import rearrange
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import conv2d, pad

from latentveil import config
from latentveil.config import Section
from latentveil.pixels.base import PixelMethod, fit_nothing
from latentveil.pixels.network import PixelNetwork


class BlurOptions(Section):
    """The standard deviation of the Gaussian, as a share of the frame's short side."""

    strength: float = Field(0.05, gt=0, le=1)


class BlurSettings(config.Settings, BlurOptions):
    """The strength, and what every method takes."""


class Blur(nn.Module):
    """Each frame blurred by a Gaussian that grows with the frame."""

    def __init__(self, options: BlurOptions) -> None:
        super().__init__()
        self.strength = options.strength

    def forward(self, clips: Tensor) -> Tensor:
        """Clips (B, T, C, H, W) without detail."""
        frames = rearrange(clips, "b t c h w -> (b t) c h w")
        blurred = gaussian_blur(frames, sigma=self.strength * min(clips.shape[-2:]))
        return rearrange(blurred, "(b t) c h w -> b t c h w", b=len(clips))


def gaussian_blur(frames: Tensor, *, sigma: float) -> Tensor:
    """Frames (N, C, H, W) blurred with a standard deviation of ``sigma`` pixels; at the edges they are repeated."""
    radius = max(1, math.ceil(3 * sigma))
    places = torch.arange(-radius, radius + 1, dtype=frames.dtype, device=frames.device)
    weights = torch.exp(-(places**2) / (2 * sigma**2))
    channels = frames.shape[1]
    row = (weights / weights.sum()).expand(channels, 1, 1, -1)  # (C, 1, 1, K)
    wide = conv2d(pad(frames, (radius, radius, 0, 0), mode="replicate"), row, groups=channels)
    return conv2d(pad(wide, (0, 0, radius, radius), mode="replicate"), row.mT, groups=channels)


pixel_network = PixelNetwork(
    name="blur",
    build=Blur,
    describe=lambda options: f"Gaussian blur of {options.strength:g} of the short side",
    about="A Gaussian blur of whole frames.",
    Options=BlurOptions,
    block_frames=1,
)
pixel_method = PixelMethod(
    name="blur",
    fit=fit_nothing(pixel_network),
    about="Blurs every frame as a whole.",
    Settings=BlurSettings,
    presets={"weak": ("strength=0.02",), "strong": ("strength=0.1",)},
)
