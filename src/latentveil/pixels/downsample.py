"""The video shrunk and grown again: the simplest baseline of the papers."""

from __future__ import annotations

from einops import rearrange
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import interpolate

from latentveil import config
from latentveil.config import Section
from latentveil.pixels.base import PixelMethod, fit_nothing
from latentveil.pixels.network import PixelNetwork


class DownsampleOptions(Section):
    """How many times smaller the sides become."""

    factor: int = Field(4, ge=2)


class Downsample(nn.Module):
    """Each frame averaged over squares of ``factor`` pixels and grown to its size again, bilinearly."""

    def __init__(self, options: DownsampleOptions) -> None:
        super().__init__()
        self.factor = options.factor

    def forward(self, clips: Tensor) -> Tensor:
        """Clips (B, T, C, H, W) with less detail."""
        height, width = clips.shape[-2:]
        small = (max(1, height // self.factor), max(1, width // self.factor))
        frames = rearrange(clips, "b t c h w -> (b t) c h w")
        shrunk = interpolate(frames, size=small, mode="area")
        grown = interpolate(shrunk, size=(height, width), mode="bilinear")
        return rearrange(grown, "(b t) c h w -> b t c h w", b=len(clips))


class DownsampleSettings(config.Settings, DownsampleOptions):
    """The factor, and what every method takes."""


pixel_network = PixelNetwork(
    name="downsample",
    build=Downsample,
    describe=lambda options: f"frames shrunk {options.factor} times and grown again",
    about="Frames shrunk and grown again.",
    Options=DownsampleOptions,
    block_frames=1,
)
pixel_method = PixelMethod(
    name="downsample",
    fit=fit_nothing(pixel_network),
    about="Shrinks every frame and grows it again, which blurs all of it.",
    Settings=DownsampleSettings,
    presets={"2x": ("factor=2",), "4x": ("factor=4",)},
)
