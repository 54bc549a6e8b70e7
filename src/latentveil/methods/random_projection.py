"""A random subspace: what any features lose by being made smaller."""

from __future__ import annotations

from latentveil.adapters.adapter import Adapter
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.closed_form import mean_of, projection_adapter, random_basis, rows_of
from latentveil.methods.pca import ProjectionSettings
from latentveil.types import TEMPORAL


def fit(data: TrainingData, settings: ProjectionSettings, **_: object) -> Adapter:
    """Keep ``erasure.keep`` random directions, drawn from ``train.seed``."""
    clips = rows_of(data.features.of_kind(TEMPORAL))
    basis = random_basis(clips.shape[1], min(settings.erasure.keep, clips.shape[1]), seed=settings.train.seed)
    return projection_adapter(basis, mean_of(clips))


method = Method(
    name="random_projection",
    fit=fit,
    about="A random subspace: what any features lose by being made smaller.",
    Settings=ProjectionSettings,
)
