"""Raw features, unchanged: what every method is compared with."""

from __future__ import annotations

import torch

from latentveil.adapters.adapter import Adapter
from latentveil.config import Settings
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.closed_form import affine_adapter


def fit(data: TrainingData, _: Settings, **__: object) -> Adapter:
    """The adapter that gives back its input."""
    dim = data.features.dim
    return affine_adapter(torch.eye(dim), torch.zeros(dim))


method = Method(
    name="identity", fit=fit, about="Raw features, unchanged: what every method is compared with."
)
