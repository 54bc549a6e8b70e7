"""What a network of pixels is: a file of this room that assigns one of three names is the network of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from latentveil.config import Section, check_settings
from latentveil.errors import PluginError
from latentveil.plugins import Kind


@dataclass(frozen=True)
class _PixelNetwork:
    """``build(options)`` makes the module, ``Options`` is the model of what can be chosen about it."""

    name: str
    build: Callable[[Any], nn.Module]
    about: str
    Options: type[Section] = Section

    def make(self, options: dict[str, Any]) -> nn.Module:
        """A fresh module with these options, the others as usual; unknown ones are refused."""
        return channels_last(self.build(self.check_options(options)))

    def check_options(self, options: dict[str, Any]) -> Section:
        """The options with all values, or an error for what the network does not have."""
        return check_settings(self.Options, options)


class _Trunk(_PixelNetwork):
    """A network that gives features, whose number its module knows as ``dim``."""

    def make(self, options: dict[str, Any]) -> nn.Module:
        module = super().make(options)
        if not isinstance(getattr(module, "dim", None), int):
            raise PluginError(
                f"the module of the network {self.name} must know how many features it gives as `dim`, got "
                f"{getattr(module, 'dim', None)!r}. Mend it."
            )
        return module


class AnonymizerNetwork(_PixelNetwork):
    """f_A: clips (B, T, 3, H, W) in [0, 1] to clips of the same shape in [0, 1]."""


class VideoNetwork(_Trunk):
    """The trunk of f_T: clips (B, T, 3, H, W) in [0, 1] to features (B, D); the module knows D as ``dim``."""


class ImageNetwork(_Trunk):
    """The trunk of f_B: frames (B, 3, H, W) in [0, 1] to features (B, D); the module knows D as ``dim``."""


ROOM = "latentveil.pixels.networks"
ANONYMIZER_NETWORKS = Kind("anonymizer network", ROOM, AnonymizerNetwork)
VIDEO_NETWORKS = Kind("video network", ROOM, VideoNetwork)
IMAGE_NETWORKS = Kind("image network", ROOM, ImageNetwork)


class Framewise(nn.Module):
    """A network of frames, applied to every frame of a clip alone; a sigmoid keeps its output in [0, 1].

    ``stride`` is what the sides of a frame must be divisible by; others are padded with their border and cut again.
    """

    def __init__(self, network: nn.Module, *, stride: int) -> None:
        super().__init__()
        self.network = network
        self.stride = stride

    def forward(self, clips: Tensor) -> Tensor:
        """Clips (B, T, C, H, W) to the same shape."""
        frames = clips.flatten(0, 1)  # (B T, C, H, W)
        height, width = frames.shape[-2:]
        padded = nn.functional.pad(
            frames, (0, -width % self.stride, 0, -height % self.stride), mode="replicate"
        )
        output = self.network(padded)[..., :height, :width]
        return output.sigmoid().unflatten(0, clips.shape[:2])


class Grey(nn.Module):
    """The mean of the three colours, three times, of frames (N, 3, H, W): a picture without colour."""

    def forward(self, frames: Tensor) -> Tensor:
        return frames.mean(dim=1, keepdim=True).expand(-1, 3, -1, -1)


def channels_last(module: nn.Module) -> nn.Module:
    """The module with weights of convolutions laid out as torch's are fastest on a processor: channels last.

    What comes of them is the same up to rounding. On one core a step of the small U-Net takes two thirds of the time,
    one of MobileNet half.
    """
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}  # by the number of axes of a weight
    for weight in module.parameters():
        if weight.dim() in formats:
            weight.data = weight.data.contiguous(memory_format=formats[weight.dim()])
    return module


def count_parameters(module: nn.Module) -> int:
    """How many numbers a module learns."""
    return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)
