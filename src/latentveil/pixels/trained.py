"""A trained anonymizer as a pixel network: any video is brought to the size it was trained at, and back."""

from __future__ import annotations

from typing import Any

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import interpolate

from latentveil.config import Section
from latentveil.pixels.network import PixelNetwork
from latentveil.pixels.networks.base import ANONYMIZER_NETWORKS, Framewise


class TrainedOptions(Section):
    """The network by its name in `pixels/networks`, its options, and the clips it was trained on."""

    network: str
    network_options: dict[str, Any] = Field(default_factory=dict)
    size: int = Field(112, ge=1)
    frames: int = Field(16, ge=1)


class Trained(nn.Module):
    """Clips (B, T, 3, H, W) to the same shape; what the network does not see at its own size never comes through."""

    def __init__(self, options: TrainedOptions) -> None:
        super().__init__()
        self.network = ANONYMIZER_NETWORKS.get(options.network).make(options.network_options)
        self.size = options.size
        self.frames = options.frames

    def forward(self, clips: Tensor) -> Tensor:
        height, width = clips.shape[-2:]
        if (height, width) == (self.size, self.size):
            return self._in_time(clips)
        small = _resized(clips, self.size, self.size, antialias=True)
        return _resized(self._in_time(small), height, width, antialias=False).clamp(0, 1)

    def _in_time(self, clips: Tensor) -> Tensor:
        """The network on clips of its size; one that needs whole clips gets them, the last frame repeated."""
        if isinstance(self.network, Framewise):
            return self.network(clips)
        length = clips.shape[1]
        missing = -length % self.frames
        filled = torch.cat([clips, clips[:, -1:].expand(-1, missing, -1, -1, -1)], dim=1)
        parts = filled.unflatten(1, (-1, self.frames)).flatten(0, 1)  # (B n, frames, 3, S, S)
        return self.network(parts).unflatten(0, (len(clips), -1)).flatten(1, 2)[:, :length]


def _resized(clips: Tensor, height: int, width: int, *, antialias: bool) -> Tensor:
    frames = interpolate(clips.flatten(0, 1), size=(height, width), mode="bilinear", antialias=antialias)
    return frames.unflatten(0, clips.shape[:2])


pixel_network = PixelNetwork(
    name="trained",
    build=Trained,
    describe=lambda options: (
        f"{options.network}, trained on {options.frames} frames of {options.size} pixels"
    ),
    about="A network that was trained to anonymize.",
    Options=TrainedOptions,
    block_frames=16,
)
