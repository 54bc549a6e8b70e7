"""The detector of Sultani et al. (CVPR 2018): each segment alone through three linear layers, and a ranking loss."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from latentveil.losses.ranking import ranking
from latentveil.losses.smoothness import smoothness
from latentveil.losses.sparsity import sparsity
from latentveil.tasks.anomaly.config import SultaniConfig


class Sultani(nn.Module):
    """Anomaly scores of unit-length features; knows no time beyond its smoothness term."""

    def __init__(self, dim: int, config: SultaniConfig) -> None:
        super().__init__()
        self.config = config
        layers: list[nn.Module] = []
        for dim_in, dim_out in pairwise((dim, *config.hidden)):
            layers += [nn.Linear(dim_in, dim_out), nn.ReLU(), nn.Dropout(config.dropout)]
        self.layers = nn.Sequential(*layers, nn.Linear(config.hidden[-1], 1))

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Scores in [0, 1], (B, T), of features (B, T, D); 0 where ``mask`` (B, T) is False."""
        unit = nn.functional.normalize(features, dim=-1)
        return torch.sigmoid(self.layers(unit)[..., 0]) * mask

    def loss(self, segments: Tensor, anomalous: Tensor) -> Tensor:
        """The training loss of videos pooled to segments (B, S, D); ``anomalous`` (B,) bool says which are."""
        mask = torch.ones(segments.shape[:2], dtype=torch.bool, device=segments.device)
        scores = self(segments, mask)
        worst = scores.topk(self.config.top_k, dim=1).values.mean(1)  # (B,)
        return (
            ranking(worst[~anomalous], worst[anomalous])
            + self.config.smoothness * smoothness(scores[anomalous])
            + self.config.sparsity * sparsity(scores[anomalous], order=1)
        )
