"""Inception-I3D with its Kinetics-400 weights as the trunk of f_T: trained on, or frozen."""

from __future__ import annotations

from torch import Tensor, nn

from latentveil.config import Section
from latentveil.encoders.i3d import FEATURE_DIM, InceptionI3d
from latentveil.encoders.i3d_weights import read_weights
from latentveil.pixels.networks.base import VideoNetwork


class I3dOptions(Section):
    """``pretrained``: start from the weights of Kinetics-400, which are fetched on first use."""

    pretrained: bool = True


class I3d(nn.Module):
    """Clips (B, T, 3, H, W) in [0, 1] to features (B, 1024)."""

    dim = FEATURE_DIM

    def __init__(self, *, pretrained: bool) -> None:
        super().__init__()
        self.network = InceptionI3d()
        self.network.Logits = nn.Sequential()  # the classes are ours, not those of Kinetics
        if pretrained:
            weights = {name: value for name, value in read_weights().items() if not name.startswith("Logits")}
            self.network.load_state_dict(weights)

    def forward(self, clips: Tensor) -> Tensor:
        return self.network(clips.transpose(1, 2) * 2 - 1)


video_network = VideoNetwork(
    name="i3d",
    build=lambda options: I3d(pretrained=options.pretrained),
    about="Inception-I3D, with the weights of Kinetics-400.",
    Options=I3dOptions,
)
