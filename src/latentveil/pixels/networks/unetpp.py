"""UNet++ (Zhou et al., 2018) on a ResNet-18, four levels: f_A of the penalty-driven system and of TeD-SPAD.

Row i of its grid has cells of one size. Every place of the grid sees all places before it in its row and the one
below the last of them; the last place of each row has the decoder's channels, the others those of the ResNet's level.
The published code ends without an activation; here a sigmoid keeps pixels in [0, 1], as in SPAct.
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import interpolate

from latentveil.config import Section
from latentveil.pixels.networks.base import AnonymizerNetwork, Framewise
from latentveil.pixels.networks.resnet import Resnet
from latentveil.pixels.networks.unet import double_convolution

LEVELS = 4


class UnetppOptions(Section):
    """``width``: channels of the ResNet's first stage."""

    width: int = Field(64, ge=2)


class Unetpp(nn.Module):
    """Frames (N, 3, H, W), sides divisible by 16, to logits of the same shape."""

    def __init__(self, *, width: int) -> None:
        super().__init__()
        self.down = Resnet(depth=18, width=width, stages=LEVELS - 1)
        levels = [width, *(width * 2**stage for stage in range(LEVELS - 1))]  # 64, 64, 128, 256
        decoder = [max(1, width * 4 // 2**step) for step in range(LEVELS)]  # 256, 128, 64, 32
        last = {row: decoder[LEVELS - 2 - row] for row in range(LEVELS - 1)} | {LEVELS - 1: levels[-1]}
        self.grid = nn.ModuleDict()
        for row in range(LEVELS - 1):
            for column in range(1, LEVELS - row):
                ends = column == LEVELS - 1 - row
                below = last[row + 1] if ends else levels[row + 1]
                out = last[row] if ends else levels[row]
                self.grid[f"{row}_{column}"] = double_convolution(
                    below + levels[row] * column, out, out, bias=False
                )
        self.up = double_convolution(last[0], decoder[-1], decoder[-1], bias=False)
        self.last = nn.Conv2d(decoder[-1], 3, 3, padding=1)

    def forward(self, frames: Tensor) -> Tensor:
        rows = [[cells] for cells in self.down.levels(frames)]
        for column in range(1, LEVELS):
            for row in range(LEVELS - column):
                below = interpolate(rows[row + 1][column - 1], scale_factor=2.0, mode="nearest")
                cells = self.grid[f"{row}_{column}"](torch.cat([below, *rows[row]], dim=1))
                rows[row].append(cells)
        return self.last(self.up(interpolate(rows[0][-1], scale_factor=2.0, mode="nearest")))


anonymizer_network = AnonymizerNetwork(
    name="unetpp",
    build=lambda options: Framewise(Unetpp(width=options.width), stride=2**LEVELS),
    about="UNet++ on a ResNet-18 (penalty-driven, TeD-SPAD).",
    Options=UnetppOptions,
)
