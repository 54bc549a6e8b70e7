"""A plain video transformer: the classifiers beside STPrivacy's anonymizer."""

from __future__ import annotations

from torch import Tensor, nn

from latentveil.pixels.networks.base import VideoNetwork
from latentveil.pixels.networks.transformer import Block, TransformerOptions, Tubelets


class Vit(nn.Module):
    """Clips (B, T, 3, H, W) of its own size in [0, 1] to features (B, width)."""

    def __init__(self, options: TransformerOptions) -> None:
        super().__init__()
        self.tubelets = Tubelets(options)
        self.blocks = nn.Sequential(
            *(Block(options.width, heads=options.heads) for _ in range(options.depth))
        )
        self.last = nn.LayerNorm(options.width)
        self.dim = options.width

    def forward(self, clips: Tensor) -> Tensor:
        tokens = self.tubelets.tokens(self.tubelets.cut(clips))
        return self.last(self.blocks(tokens)).mean(dim=1)


video_network = VideoNetwork(
    name="vit", build=Vit, about="Video transformer on tubelets (STPrivacy).", Options=TransformerOptions
)
