"""C3D (Tran et al., 2015): the action classifier f_T of VITA."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.pixels.networks.base import VideoNetwork

# Channels over the width of each stage's convolutions.
STAGES = ((1,), (2,), (4, 4), (8, 8), (8, 8))
CELLS = (1, 4, 4)  # what 16 frames of 112 pixels come down to; other sizes are averaged to it


class C3dOptions(Section):
    """``width``: channels of the first convolution; ``hidden``: of the two full layers behind the last one."""

    width: int = Field(64, ge=2)
    hidden: int = Field(4096, ge=1)


class C3d(nn.Module):
    """Clips (B, T, 3, H, W) in [0, 1], T >= 16 and sides >= 32, to features (B, hidden)."""

    def __init__(self, *, width: int, hidden: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for number, stage in enumerate(STAGES):
            for wider in stage:
                layers += [nn.Conv3d(channels, width * wider, 3, padding=1), nn.ReLU(inplace=True)]
                channels = width * wider
            first = number == 0  # time is not shortened at once
            last = number == len(STAGES) - 1
            layers.append(nn.MaxPool3d((1 if first else 2, 2, 2), padding=(0, 1, 1) if last else 0))
        self.cells = nn.Sequential(*layers, nn.AdaptiveAvgPool3d(CELLS), nn.Flatten())
        self.full = nn.Sequential(
            nn.Linear(channels * CELLS[0] * CELLS[1] * CELLS[2], hidden),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(hidden, hidden),
            nn.ReLU(inplace=True),
            nn.Dropout(),
        )
        self.dim = hidden

    def forward(self, clips: Tensor) -> Tensor:
        return self.full(self.cells(clips.transpose(1, 2)))


video_network = VideoNetwork(
    name="c3d",
    build=lambda options: C3d(width=options.width, hidden=options.hidden),
    about="C3D, the action classifier of VITA.",
    Options=C3dOptions,
)
