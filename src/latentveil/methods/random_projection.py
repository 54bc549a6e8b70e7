"""A random subspace: what any features lose by being made smaller."""

from __future__ import annotations

import torch

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.config import FitConfig
from latentveil.methods.base import TrainingData
from latentveil.methods.closed_form import matrix, projection_adapter
from latentveil.types import TEMPORAL


def fit(data: TrainingData, config: FitConfig, **_: object) -> AnonymizingAdapter:
    """Keep ``erasure.keep`` random directions, drawn from ``train.seed``."""
    clips = matrix(data.features.of_kind(TEMPORAL))
    generator = torch.Generator().manual_seed(config.train.seed)
    keep = min(config.erasure.keep, data.features.dim)
    basis, _ = torch.linalg.qr(torch.randn(data.features.dim, keep, generator=generator, dtype=torch.double))
    return projection_adapter(basis, clips.mean(dim=0))
