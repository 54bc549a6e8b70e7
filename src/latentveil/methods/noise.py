"""Gaussian noise of one size in all directions."""

from __future__ import annotations

import torch
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.config import Section, Settings
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.closed_form import affine_adapter, rows_of, scale_of
from latentveil.types import TEMPORAL


class NoiseSection(Section):
    """``noise`` is a multiple of the features' typical spread."""

    noise: float = Field(0.5, ge=0)


class NoiseSettings(Settings):
    """The size of the noise."""

    erasure: NoiseSection = NoiseSection()


def fit(data: TrainingData, settings: NoiseSettings, **_: object) -> Adapter:
    """Add noise of ``erasure.noise`` times the features' typical spread."""
    spread = scale_of(rows_of(data.features.of_kind(TEMPORAL)))
    dim = data.features.dim
    return affine_adapter(
        torch.eye(dim), torch.zeros(dim), noise_factor=settings.erasure.noise * spread * torch.eye(dim)
    )


def dials(with_motion: bool) -> Dials:
    return {"erasure.noise": (0.25, 0.5, 1.0, 2.0, 4.0)}


method = Method(
    name="noise",
    fit=fit,
    about="Gaussian noise of one size in all directions.",
    Settings=NoiseSettings,
    dials=dials,
)
