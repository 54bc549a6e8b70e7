"""Raw features, unchanged: what every method is compared with."""

from __future__ import annotations

import torch

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig
from latentveil.methods.base import TrainingData
from latentveil.methods.closed_form import affine_adapter


def fit(data: TrainingData, _: FitConfig, **__: object) -> Adapter:
    """The adapter that gives back its input."""
    dim = data.features.dim
    return affine_adapter(torch.eye(dim), torch.zeros(dim))
