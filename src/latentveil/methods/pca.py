"""Principal components: the directions of largest variance are kept, the others dropped."""

from __future__ import annotations

from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.config import Section, Settings
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.closed_form import mean_of, principal_axes, projection_adapter, rows_of
from latentveil.types import TEMPORAL


class ProjectionSection(Section):
    """``keep`` is the number of directions that stay."""

    keep: int = Field(12, ge=1)


class ProjectionSettings(Settings):
    """The size of a subspace."""

    erasure: ProjectionSection = ProjectionSection()


def fit(data: TrainingData, settings: ProjectionSettings, **_: object) -> Adapter:
    """Keep the ``erasure.keep`` largest principal components of the clips."""
    clips = rows_of(data.features.of_kind(TEMPORAL))
    return projection_adapter(principal_axes(clips, settings.erasure.keep), mean_of(clips))


def dials(with_motion: bool) -> Dials:
    return {"erasure.keep": (4, 8, 16, 32, 64)}


method = Method(
    name="pca",
    fit=fit,
    about="The directions of largest variance stay, the others go.",
    Settings=ProjectionSettings,
    dials=dials,
)
