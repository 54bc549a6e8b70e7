"""The U-Net of SPAct (f_A): four times down and up, two 3x3 convolutions at each size, 17.27 M parameters."""

from __future__ import annotations

from itertools import pairwise

import torch
from pydantic import Field
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.pixels.networks.base import AnonymizerNetwork, Framewise, Grey

LEVELS = 4


class UnetOptions(Section):
    """``width``: channels at full size, doubled at each step down; ``grey`` leaves no colour in the output (VITA)."""

    width: int = Field(64, ge=2)
    grey: bool = False


def double_convolution(channels: int, middle: int, out: int, *, bias: bool) -> nn.Sequential:
    """Twice 3x3 convolution, batch norm and ReLU, (N, channels, H, W) to (N, out, H, W).

    ``bias`` changes nothing, batch norm takes it out again; the U-Net of the papers has one all the same.
    """
    return nn.Sequential(
        nn.Conv2d(channels, middle, 3, padding=1, bias=bias),
        nn.BatchNorm2d(middle),
        nn.ReLU(inplace=True),
        nn.Conv2d(middle, out, 3, padding=1, bias=bias),
        nn.BatchNorm2d(out),
        nn.ReLU(inplace=True),
    )


class Unet(nn.Module):
    """Frames (N, 3, H, W), sides divisible by 16, to logits of the same shape."""

    def __init__(self, *, width: int) -> None:
        super().__init__()
        down = [width * 2**level for level in range(LEVELS)] + [width * 2 ** (LEVELS - 1)]
        self.first = double_convolution(3, width, width, bias=True)
        self.down = nn.ModuleList(
            double_convolution(small, big, big, bias=True) for small, big in pairwise(down)
        )
        up = [*reversed(down[: LEVELS - 1]), width]  # channels after each step up
        below = [down[-1], *up]
        self.up = nn.ModuleList(
            double_convolution(skip + lower, (skip + lower) // 2, out, bias=True)
            for skip, lower, out in zip(reversed(down[:LEVELS]), below, up)
        )
        self.last = nn.Conv2d(width, 3, 1)
        self.shrink = nn.MaxPool2d(2)
        self.grow = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)

    def forward(self, frames: Tensor) -> Tensor:
        levels = [self.first(frames)]
        for block in self.down:
            levels.append(block(self.shrink(levels[-1])))
        cells = levels.pop()
        for block in self.up:
            cells = block(torch.cat([levels.pop(), self.grow(cells)], dim=1))
        return self.last(cells)


def build(options: UnetOptions) -> nn.Module:
    network: nn.Module = Unet(width=options.width)
    return Framewise(nn.Sequential(network, Grey()) if options.grey else network, stride=2**LEVELS)


anonymizer_network = AnonymizerNetwork(
    name="unet",
    build=build,
    about="U-Net (SPAct; small and grey for VITA).",
    Options=UnetOptions,
)
