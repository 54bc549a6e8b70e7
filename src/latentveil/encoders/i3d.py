"""Inception-I3D (Carreira and Zisserman, CVPR 2017) trained on Kinetics-400: 1024 numbers, the mean of Mixed_5c."""

from __future__ import annotations

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from latentveil.encoders.base import CLIP_FRAMES, Encoder, hash_weights
from latentveil.encoders.i3d_weights import check_weights, read_weights
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import UsageError
from latentveil.types import EncoderInfo

# Output channels of each block: branch 0, branch 1 (1x1, 3x3), branch 2 (1x1, 3x3), branch 3 (after the pooling).
BLOCK_CHANNELS = {
    "Mixed_3b": (64, 96, 128, 16, 32, 32),
    "Mixed_3c": (128, 128, 192, 32, 96, 64),
    "Mixed_4b": (192, 96, 208, 16, 48, 64),
    "Mixed_4c": (160, 112, 224, 24, 64, 64),
    "Mixed_4d": (128, 128, 256, 24, 64, 64),
    "Mixed_4e": (112, 144, 288, 32, 64, 64),
    "Mixed_4f": (256, 160, 320, 32, 128, 128),
    "Mixed_5b": (256, 160, 320, 32, 128, 128),
    "Mixed_5c": (384, 192, 384, 48, 128, 128),
}
FEATURE_DIM = 1024
NUM_CLASSES = 400
FRAME_SIZE = 224
# Mixed_5c has one cell per 32 pixels; below two cells a side, padding is most of what the network sees.
MIN_FRAME_SIZE = 64


def load(*, size: int | None, weights: str | None) -> Encoder:
    """Inception-I3D on frames of ``size`` pixels (224 unless given); the weights are fetched on first use."""
    if weights is not None:
        raise UsageError(
            f"weights must be absent for encoder i3d, got {weights!r}. It has one set of its own."
        )
    size = FRAME_SIZE if size is None else size
    if size < MIN_FRAME_SIZE:
        raise UsageError(
            f"size must be at least {MIN_FRAME_SIZE} for encoder i3d, got {size}. It saw 224 in training."
        )
    network = InceptionI3d()
    network.load_state_dict(read_weights())
    weights_sha256 = hash_weights(network.state_dict())
    check_weights(weights_sha256)
    info = EncoderInfo(
        name="i3d",
        weights_sha256=weights_sha256,
        dim=FEATURE_DIM,
        clip_frames=CLIP_FRAMES,
        frame_size=size,
        mean=(0.5, 0.5, 0.5),
        std=(0.5, 0.5, 0.5),
        pooling="mean of Mixed_5c over time and space",
    )
    # On one core at 224 pixels a clip takes 1.2 s channels first and 0.75 s channels last: torch pools much faster so.
    network.to(memory_format=torch.channels_last_3d)  # type: ignore[call-overload]  # missing in torch's stubs
    return Encoder(network, info)


encoder = EncoderPlugin(
    name="i3d",
    about="Inception-I3D trained on Kinetics-400: 1024 numbers a clip, the encoder of the paper.",
    load=load,
)


def same_padding(length: int, kernel: int, stride: int) -> tuple[int, int]:
    """TensorFlow's "SAME" padding of one axis, (before, after): the odd one goes after."""
    total = max((-(-length // stride) - 1) * stride + kernel - length, 0)
    return total // 2, total - total // 2


class ConvUnit(nn.Conv3d):
    """Convolution with "SAME" padding and ReLU; batch normalisation is already folded into weight and bias."""

    def __init__(self, in_channels: int, out_channels: int, *, kernel: int = 1, stride: int = 1) -> None:
        # At stride 1 and odd kernels "SAME" is symmetric and free of a copy; otherwise it depends on the length.
        super().__init__(in_channels, out_channels, kernel, stride, padding=kernel // 2 if stride == 1 else 0)

    def forward(self, frames: Tensor) -> Tensor:
        if self.kernel_size[0] == 1:
            # A matrix product keeps channels last, which torch's 1x1x1 convolution does not.
            cells = F.linear(
                frames.permute(0, 2, 3, 4, 1), self.weight.flatten(1), self.bias
            )  # (B, T, H, W, C)
            return F.relu_(cells).permute(0, 4, 1, 2, 3)  # (B, C, T, H, W)
        if self.stride[0] > 1:
            axes = zip(frames.shape[2:], self.kernel_size, self.stride)
            padding = [same_padding(*axis) for axis in axes]
            frames = F.pad(frames, [side for pair in reversed(padding) for side in pair])
        return F.relu_(super().forward(frames))


class SameMaxPool(nn.Module):
    """Max pooling with "SAME" padding: ``ceil_mode`` supplies the one more cell after."""

    def __init__(self, kernel: tuple[int, int, int], stride: tuple[int, int, int]) -> None:
        super().__init__()
        self.kernel = kernel
        self.stride = stride

    def forward(self, frames: Tensor) -> Tensor:
        before = [same_padding(*axis)[0] for axis in zip(frames.shape[2:], self.kernel, self.stride)]
        return F.max_pool3d(frames, self.kernel, self.stride, before, ceil_mode=True)


class InceptionBlock(nn.Module):
    """Four branches over the same input, side by side in the channels."""

    def __init__(self, in_channels: int, channels: tuple[int, ...]) -> None:
        super().__init__()
        straight, narrow_1, wide_1, narrow_2, wide_2, pooled = channels
        self.Branch_0 = _named(Conv3d_0a_1x1=ConvUnit(in_channels, straight))
        self.Branch_1 = _named(
            Conv3d_0a_1x1=ConvUnit(in_channels, narrow_1), Conv3d_0b_3x3=ConvUnit(narrow_1, wide_1, kernel=3)
        )
        self.Branch_2 = _named(
            Conv3d_0a_1x1=ConvUnit(in_channels, narrow_2), Conv3d_0b_3x3=ConvUnit(narrow_2, wide_2, kernel=3)
        )
        self.Branch_3 = _named(
            MaxPool3d_0a_3x3=SameMaxPool((3, 3, 3), (1, 1, 1)), Conv3d_0b_1x1=ConvUnit(in_channels, pooled)
        )

    def forward(self, frames: Tensor) -> Tensor:
        branches = (self.Branch_0, self.Branch_1, self.Branch_2, self.Branch_3)
        cells = torch.cat([branch(frames) for branch in branches], dim=1)  # (B, C, T, H, W)
        # torch computes small convolutions of a single clip channels first
        return cells.contiguous(memory_format=torch.channels_last_3d)


class InceptionI3d(nn.Module):
    """The network; layers carry the checkpoint's names."""

    def __init__(self) -> None:
        super().__init__()
        layers: OrderedDict[str, nn.Module] = OrderedDict(
            Conv3d_1a_7x7=ConvUnit(3, 64, kernel=7, stride=2),
            MaxPool3d_2a_3x3=SameMaxPool((1, 3, 3), (1, 2, 2)),
            Conv3d_2b_1x1=ConvUnit(64, 64),
            Conv3d_2c_3x3=ConvUnit(64, 192, kernel=3),
            MaxPool3d_3a_3x3=SameMaxPool((1, 3, 3), (1, 2, 2)),
        )
        in_channels = 192
        for name, channels in BLOCK_CHANNELS.items():
            if name == "Mixed_4b":
                layers["MaxPool3d_4a_3x3"] = SameMaxPool((3, 3, 3), (2, 2, 2))
            if name == "Mixed_5b":
                layers["MaxPool3d_5a_2x2"] = SameMaxPool((2, 2, 2), (2, 2, 2))
            layers[name] = InceptionBlock(in_channels, channels)
            in_channels = channels[0] + channels[2] + channels[4] + channels[5]
        assert in_channels == FEATURE_DIM
        self.features = nn.Sequential(layers)
        self.Logits = _named(Conv3d_0c_1x1=nn.Conv3d(FEATURE_DIM, NUM_CLASSES, 1))

    def forward(self, frames: Tensor) -> Tensor:
        """Frames (B, 3, T, H, W) in [-1, 1] to features (B, 1024)."""
        return self.features(frames).mean(dim=(2, 3, 4))

    def logits(self, frames: Tensor) -> Tensor:
        """Frames (B, 3, T, H, W) in [-1, 1], T >= 9 and H, W >= 193, to Kinetics-400 logits (B, 400)."""
        cells = F.avg_pool3d(self.features(frames), (2, 7, 7), stride=1)  # (B, 1024, T', H', W')
        return self.Logits(cells).mean(dim=(2, 3, 4))


def _named(**layers: nn.Module) -> nn.Sequential:
    return nn.Sequential(OrderedDict(layers))
