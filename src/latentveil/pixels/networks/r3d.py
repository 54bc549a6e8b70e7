"""R3D-18 (Hara et al., 2018): the action classifier f_T of SPAct, its last stage dilated in time."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.pixels.networks.base import VideoNetwork


class R3dOptions(Section):
    """``width``: channels of the first stage; ``dilated``: the last stage keeps its length and looks further."""

    width: int = Field(64, ge=2)
    dilated: bool = True


Triple = tuple[int, int, int]


def convolution(channels: int, out: int, *, stride: Triple = (1, 1, 1), dilation: int = 1) -> nn.Sequential:
    """3x3x3 convolution, dilated in time alone, and batch norm."""
    return nn.Sequential(
        nn.Conv3d(channels, out, 3, stride, padding=(dilation, 1, 1), dilation=(dilation, 1, 1), bias=False),
        nn.BatchNorm3d(out),
    )


class Block(nn.Module):
    """The sum of a way round and a way through, two convolutions."""

    def __init__(self, channels: int, out: int, *, stride: Triple, dilation: int) -> None:
        super().__init__()
        self.through = nn.Sequential(
            convolution(channels, out, stride=stride, dilation=dilation),
            nn.ReLU(inplace=True),
            convolution(out, out),
        )
        same = stride == (1, 1, 1) and channels == out
        self.round: nn.Module = (
            nn.Identity()
            if same
            else nn.Sequential(nn.Conv3d(channels, out, 1, stride, bias=False), nn.BatchNorm3d(out))
        )

    def forward(self, cells: Tensor) -> Tensor:
        return (self.through(cells) + self.round(cells)).relu()


class R3d(nn.Module):
    """Clips (B, T, 3, H, W) in [0, 1] to features (B, D)."""

    def __init__(self, *, width: int, dilated: bool = True) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv3d(3, width, (3, 7, 7), (1, 2, 2), (1, 3, 3), bias=False),
            nn.BatchNorm3d(width),
            nn.ReLU(inplace=True),
        )
        stages = []
        channels = width
        for stage in range(4):
            out = width * 2**stage
            last = dilated and stage == 3
            stride = (1, 1, 1) if stage == 0 else (1 if last else 2, 2, 2)
            stages.append(Block(channels, out, stride=stride, dilation=2 if last else 1))
            stages.append(Block(out, out, stride=(1, 1, 1), dilation=1))
            channels = out
        self.stages = nn.Sequential(*stages)
        self.dim = channels

    def forward(self, clips: Tensor) -> Tensor:
        cells = self.stages(self.stem(clips.transpose(1, 2)))  # (B, D, T', H', W')
        return cells.mean(dim=(2, 3, 4))


video_network = VideoNetwork(
    name="r3d",
    build=lambda options: R3d(width=options.width, dilated=options.dilated),
    about="R3D-18, the action classifier of SPAct.",
    Options=R3dOptions,
)
