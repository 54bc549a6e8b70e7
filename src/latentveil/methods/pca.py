"""Principal components: the directions of largest variance are kept, the others dropped."""

from __future__ import annotations

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig
from latentveil.methods.base import TrainingData
from latentveil.methods.closed_form import matrix, principal_axes, projection_adapter
from latentveil.types import TEMPORAL


def fit(data: TrainingData, config: FitConfig, **_: object) -> Adapter:
    """Keep the ``erasure.keep`` largest principal components of the clips."""
    clips = matrix(data.features.of_kind(TEMPORAL))
    return projection_adapter(principal_axes(clips, config.erasure.keep), clips.mean(dim=0))
