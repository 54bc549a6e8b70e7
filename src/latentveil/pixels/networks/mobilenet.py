"""MobileNet v1 (Howard et al., 2017): the small f_B of SPAct's ablation and of VITA's ensemble."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.pixels.networks.base import ImageNetwork

# Output channels over 32, and stride, of each depthwise-separable convolution.
LAYERS = ((2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2), *[(16, 1)] * 5, (32, 2), (32, 1))


class MobilenetOptions(Section):
    """``width``: channels of the first convolution; 24 is the network called 0.75."""

    width: int = Field(32, ge=2)


def convolution(channels: int, out: int, *, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Convolution, batch norm and ReLU."""
    return nn.Sequential(
        nn.Conv2d(channels, out, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out),
        nn.ReLU(inplace=True),
    )


class Mobilenet(nn.Module):
    """Frames (N, 3, H, W) to features (N, D)."""

    def __init__(self, *, width: int) -> None:
        super().__init__()
        layers = [convolution(3, width, kernel=3, stride=2)]
        channels = width
        for wider, stride in LAYERS:
            layers.append(convolution(channels, channels, kernel=3, stride=stride, groups=channels))
            layers.append(convolution(channels, width * wider, kernel=1))
            channels = width * wider
        self.layers = nn.Sequential(*layers)
        self.dim = channels

    def forward(self, frames: Tensor) -> Tensor:
        return self.layers(frames).mean(dim=(2, 3))


image_network = ImageNetwork(
    name="mobilenet",
    build=lambda options: Mobilenet(width=options.width),
    about="MobileNet v1.",
    Options=MobilenetOptions,
)
