"""The multi-layer perceptron that the paper compares with attention: every clip alone."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.network import MOST_LAYERS, Network
from latentveil.config import Section


class MlpOptions(Section):
    """How many ``layers`` there are."""

    layers: int = Field(3, ge=1, le=MOST_LAYERS)


class MlpNetwork(nn.Module):
    """``layers`` times (Linear, ReLU, BatchNorm, Dropout) on each clip, (B, T, D) -> (B, T, D).

    Batch norm reads its statistics from real clips only; padded ones come back unchanged.
    """

    def __init__(self, dim: int, *, layers: int, dropout: float = 0.1) -> None:
        super().__init__()
        stages = [
            (nn.Linear(dim, dim), nn.ReLU(), nn.BatchNorm1d(dim), nn.Dropout(dropout)) for _ in range(layers)
        ]
        self.stages = nn.Sequential(*(module for stage in stages for module in stage))

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        output = features.clone()
        output[mask] = self.stages(features[mask])  # (N, D)
        return output

    def run_padded(self, features: Tensor, _: Tensor) -> Tensor:
        """All clips (B, T, D), padded ones too, without shapes that depend on a mask."""
        return self.stages(features.flatten(0, 1)).unflatten(0, features.shape[:2])


network = Network(
    name="mlp",
    build=lambda dim, options: MlpNetwork(dim, layers=options.layers),
    describe=lambda options: f"mlp, {options.layers} layers",
    about="A multi-layer perceptron on every clip alone.",
    Options=MlpOptions,
    run_padded=MlpNetwork.run_padded,
)
