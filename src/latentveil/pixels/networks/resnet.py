"""ResNet (He et al., 2016) of depth 18 to 152: the trunk of f_B, and the way down of UNet++."""

from __future__ import annotations

from pydantic import Field, field_validator
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.pixels.networks.base import ImageNetwork

# Blocks in each of the four stages, and how many times wider than the stage's width a block's output is.
STAGES = {
    18: ((2, 2, 2, 2), 1),
    34: ((3, 4, 6, 3), 1),
    50: ((3, 4, 6, 3), 4),
    101: ((3, 4, 23, 3), 4),
    152: ((3, 8, 36, 3), 4),
}


class ResnetOptions(Section):
    """``width``: channels of the first stage; ``depth``: how many layers have weights."""

    depth: int = 50
    width: int = Field(64, ge=2)

    @field_validator("depth")
    @classmethod
    def _is_known(cls, depth: int) -> int:
        if depth not in STAGES:
            raise ValueError(f"the depths are {', '.join(map(str, STAGES))}")
        return depth


def convolution(channels: int, out: int, *, kernel: int, stride: int = 1) -> nn.Sequential:
    """Convolution and batch norm."""
    return nn.Sequential(
        nn.Conv2d(channels, out, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(out)
    )


class Block(nn.Module):
    """The sum of a way round and a way through: two 3x3 convolutions, or 1x1, 3x3, 1x1 where it is ``wider``."""

    def __init__(self, channels: int, width: int, *, stride: int, wider: int) -> None:
        super().__init__()
        out = width * wider
        if wider == 1:
            parts = [
                convolution(channels, width, kernel=3, stride=stride),
                nn.ReLU(inplace=True),
                convolution(width, out, kernel=3),
            ]
        else:
            parts = [
                convolution(channels, width, kernel=1),
                nn.ReLU(inplace=True),
                convolution(width, width, kernel=3, stride=stride),
                nn.ReLU(inplace=True),
                convolution(width, out, kernel=1),
            ]
        self.through = nn.Sequential(*parts)
        same = stride == 1 and channels == out
        self.round = nn.Identity() if same else convolution(channels, out, kernel=1, stride=stride)

    def forward(self, cells: Tensor) -> Tensor:
        return (self.through(cells) + self.round(cells)).relu()


class Resnet(nn.Module):
    """Frames (N, 3, H, W) to features (N, D)."""

    def __init__(self, *, depth: int = 50, width: int = 64, stages: int = 4) -> None:
        super().__init__()
        blocks, wider = STAGES[depth]
        self.stem = nn.Sequential(convolution(3, width, kernel=7, stride=2), nn.ReLU(inplace=True))
        self.shrink = nn.MaxPool2d(3, 2, 1)
        self.stages = nn.ModuleList()
        channels = width
        for stage, number in enumerate(blocks[:stages]):
            inner = width * 2**stage
            first = Block(channels, inner, stride=1 if stage == 0 else 2, wider=wider)
            channels = inner * wider
            rest = [Block(channels, inner, stride=1, wider=wider) for _ in range(number - 1)]
            self.stages.append(nn.Sequential(first, *rest))
        self.dim = channels

    def levels(self, frames: Tensor) -> list[Tensor]:
        """The cells after the stem and after each stage, each half as large as the one before."""
        found = [self.stem(frames)]
        cells = self.shrink(found[0])
        for stage in self.stages:
            cells = stage(cells)
            found.append(cells)
        return found

    def forward(self, frames: Tensor) -> Tensor:
        return self.levels(frames)[-1].mean(dim=(2, 3))


image_network = ImageNetwork(
    name="resnet",
    build=lambda options: Resnet(depth=options.depth, width=options.width),
    about="ResNet of depth 18 to 152.",
    Options=ResnetOptions,
)
