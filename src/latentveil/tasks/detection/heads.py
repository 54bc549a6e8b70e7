"""TriDet's heads, shared by all levels: class scores, and the Trident head for boundaries."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.sgp import ConvNormReLU


class DenseHead(nn.Module):
    """Some convolutions and one output of ``num_outputs`` numbers per instant, zero where padded."""

    def __init__(self, config: TriDetConfig, *, num_outputs: int, bias: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            ConvNormReLU(config.width, config.width, kernel_size=config.kernel_size)
            for _ in range(config.head_layers)
        )
        self.output = nn.Conv1d(
            config.width, num_outputs, config.kernel_size, padding=config.kernel_size // 2
        )
        nn.init.constant_(self.output.get_parameter("bias"), bias)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """The outputs (B, num_outputs, T) of a map ``x`` (B, C, T) with ``mask`` (B, 1, T)."""
        for layer in self.layers:
            x = layer(x, mask)
        return self.output(x) * mask


def class_head(config: TriDetConfig, num_classes: int) -> DenseHead:
    """A dense head that starts by giving each class the probability ``class_prior``."""
    return DenseHead(config, num_outputs=num_classes, bias=-math.log(1 / config.class_prior - 1))


class TridentHead(nn.Module):
    """Per class, how much each instant looks like a start or an end; per instant, how far off both may be.

    The start and end maps do not train the backbone; the offsets do.
    """

    def __init__(self, config: TriDetConfig, num_classes: int) -> None:
        super().__init__()
        self.start = class_head(config, num_classes)
        self.end = class_head(config, num_classes)
        self.offset = DenseHead(config, num_outputs=2 * (config.num_bins + 1))
        self.level_scale = nn.Parameter(torch.ones(config.num_levels))

    def forward(self, x: Tensor, mask: Tensor, *, level: int) -> tuple[Tensor, Tensor, Tensor]:
        """Start and end responses (B, classes, T) and offsets (B, 2, bins + 1, T) of one level."""
        offsets = F.relu(self.offset(x, mask) * self.level_scale[level])
        offsets = rearrange(offsets, "b (side bin) t -> b side bin t", side=2)
        return self.start(x.detach(), mask), self.end(x.detach(), mask), offsets
