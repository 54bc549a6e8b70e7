"""Gaussian noise of one size in all directions."""

from __future__ import annotations

import torch

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig
from latentveil.methods.base import TrainingData
from latentveil.methods.closed_form import affine_adapter, matrix, scale_of
from latentveil.types import TEMPORAL


def fit(data: TrainingData, config: FitConfig, **_: object) -> Adapter:
    """Add noise of ``erasure.noise`` times the features' typical spread."""
    spread = scale_of(matrix(data.features.of_kind(TEMPORAL)))
    dim = data.features.dim
    return affine_adapter(
        torch.eye(dim), torch.zeros(dim), noise_factor=config.erasure.noise * spread * torch.eye(dim)
    )
