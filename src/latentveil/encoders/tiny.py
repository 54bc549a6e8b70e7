"""A small network of seeded random filters, hundreds of clips a second: for tests and for work offline."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from latentveil.encoders.base import CLIP_FRAMES, Encoder, hash_weights
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import UsageError
from latentveil.types import EncoderInfo

FRAME_SIZE = 64
MIN_FRAME_SIZE = 32
FEATURE_DIM = 64
SEED = 0
MOTION_GAIN = 2.0


def load(*, size: int | None, weights: str | None) -> Encoder:
    """The tiny network on frames of ``size`` pixels (64 unless given); its weights follow from a fixed seed."""
    if weights is not None:
        raise UsageError(
            f"weights must be absent for encoder tiny, got {weights!r}. Its weights follow from a seed."
        )
    size = FRAME_SIZE if size is None else size
    if size < MIN_FRAME_SIZE:
        raise UsageError(f"size must be at least {MIN_FRAME_SIZE} for encoder tiny, got {size}.")
    network = TinyNetwork()
    info = EncoderInfo(
        name="tiny",
        weights_sha256=hash_weights(network.state_dict()),
        dim=FEATURE_DIM,
        clip_frames=CLIP_FRAMES,
        frame_size=size,
        mean=(0.5, 0.5, 0.5),
        std=(0.5, 0.5, 0.5),
        pooling="random projection of the mean and spread of random filters over time, on a 2 x 2 grid",
    )
    return Encoder(network, info)


encoder = EncoderPlugin(
    name="tiny",
    about="Seeded random filters: 64 numbers a clip, hundreds of clips a second, for tests and first steps.",
    load=load,
)


class TinyNetwork(nn.Module):
    """Random space-time filters over the frames and over their differences, pooled to statistics, projected."""

    NUM_FILTERS = (24, 32)
    GRID_CELLS = 2 * 2

    def __init__(self) -> None:
        super().__init__()
        first, second = self.NUM_FILTERS
        self.look = nn.Conv3d(3, first // 2, (1, 8, 8), stride=(2, 4, 4))
        self.motion = nn.Conv3d(3, first // 2, (3, 8, 8), stride=(2, 4, 4), padding=(1, 0, 0))
        self.mix = nn.Conv3d(first, second, 3, stride=(1, 2, 2), padding=1)
        self.project = nn.Linear(2 * second * self.GRID_CELLS, FEATURE_DIM)
        self._draw_weights(np.random.default_rng(SEED))

    def forward(self, frames: Tensor) -> Tensor:
        """Frames (B, 3, T, H, W) in [-1, 1] to features (B, 64)."""
        change = frames[:, :, 1:] - frames[:, :, :-1]  # (B, 3, T - 1, H, W)
        filtered = torch.cat([self.look(frames), self.motion(change)], dim=1)  # (B, C, T / 2, H', W')
        mixed = F.relu(self.mix(F.relu(filtered)))  # (B, C, T / 2, H', W')
        spread, mean = torch.std_mean(mixed, dim=2)  # (B, C, H', W') each
        cells = F.adaptive_avg_pool2d(torch.cat([mean, spread], dim=1), (2, 2))  # (B, 2 C, 2, 2)
        return self.project(cells.flatten(1))

    @torch.no_grad()
    def _draw_weights(self, generator: np.random.Generator) -> None:
        """Normal weights of He's scale, from numpy: its draws are the same on every machine, torch's are not."""
        for layer in (self.look, self.motion, self.mix, self.project):
            scale = np.sqrt(2 / layer.weight[0].numel())
            layer.weight.copy_(torch.from_numpy(scale * generator.standard_normal(layer.weight.shape)))
            assert layer.bias is not None
            layer.bias.copy_(torch.from_numpy(0.1 * generator.standard_normal(layer.bias.shape)))
        # Neighbouring frames differ by little: this brings motion to the scale of appearance.
        self.motion.weight.mul_(MOTION_GAIN)
