"""MGFN: glance over a video, focus on its neighbourhoods, and let feature magnitude pick the anomalous segments."""

from __future__ import annotations

import torch
from einops import rearrange, reduce, repeat
from torch import Tensor, nn

from latentveil.tasks.anomaly.blocks import Amplification, ChannelNorm, Focus, Glance, Layer, Stage
from latentveil.tasks.anomaly.config import MGFNConfig
from latentveil.tasks.anomaly.loss import mgfn_terms, weighted_sum


class MGFN(nn.Module):
    """Anomaly scores of segments or clips; any number of crops and feature dimensions.

    Features are multiplied by ``scale`` before anything else; it is stored with the weights.
    """

    scale: Tensor

    def __init__(self, dim: int, config: MGFNConfig, *, scale: float = 1.0) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("scale", torch.tensor(scale))
        self.amplify = Amplification(dim, config.dims[0], ratio=config.magnitude_ratio)
        self.stages = nn.ModuleList(_stages(config))
        self.norm = nn.LayerNorm(config.dims[-1])
        self.score = nn.Linear(config.dims[-1], 1)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Scores in [0, 1], (B, T), of features (B, T, D) or crops (B, N, T, D); 0 where ``mask`` (B, T) is False."""
        return self.score_embedded(self.embed(features, mask), mask)

    def embed(self, features: Tensor, mask: Tensor) -> Tensor:
        """The normalised features (B, N, T, C) before the scoring layer; their magnitudes drive the selection."""
        crops = self.scale * (features[:, None] if features.ndim == 3 else features)  # (B, N, T, D)
        num_crops = crops.shape[1]
        real = repeat(mask.to(features.dtype), "b t -> (b n) 1 t", n=num_crops)
        x = self.amplify(rearrange(crops, "b n t d -> (b n) d t"), real)
        for stage in self.stages:
            x = stage(x, real)
        return self.norm(rearrange(x, "(b n) c t -> b n t c", n=num_crops))

    def score_embedded(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Scores (B, T) of embedded features (B, N, T, C), averaged over crops."""
        scores = torch.sigmoid(self.score(embedded))  # (B, N, T, 1)
        return reduce(scores, "b n t 1 -> b t", "mean") * mask

    def loss(self, segments: Tensor, anomalous: Tensor) -> Tensor:
        """The training loss of videos pooled to segments (B, [N,] S, D); ``anomalous`` (B,) bool says which are."""
        mask = torch.ones(len(segments), segments.shape[-2], dtype=torch.bool, device=segments.device)
        embedded = self.embed(segments, mask)
        scores = self.score_embedded(embedded, mask)
        terms = mgfn_terms(embedded, scores, anomalous, config=self.config, training=self.training)
        return weighted_sum(terms, self.config.weights)


def _stages(config: MGFNConfig) -> list[Stage]:
    """The stages in order; between two of them a norm and a 1x1 convolution change the width."""
    stages = []
    for index, (dim, depth, kind) in enumerate(zip(config.dims, config.depths, config.kinds, strict=True)):
        attentions = [_attention(kind, dim, config) for _ in range(depth)]
        layers = [Layer(dim, attention=attention, expansion=config.expansion) for attention in attentions]
        before = config.dims[index - 1]
        widen = nn.Sequential(ChannelNorm(before), nn.Conv1d(before, dim, 1)) if index else None
        stages.append(Stage(layers, widen=widen))
    return stages


def _attention(kind: str, dim: int, config: MGFNConfig) -> nn.Module:
    if kind == "glance":
        return Glance(dim, head_dim=config.head_dim)
    return Focus(dim, head_dim=config.head_dim, kernel=config.focus_kernel)
