"""What a method reads, and how one is found: the file `methods/<name>.py` with a function ``fit`` is the method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.config import FitConfig
from latentveil.datasets.labels import Labels
from latentveil.errors import InputError
from latentveil.tasks.base import Task
from latentveil.types import FeatureSet

METHODS = (
    "veil",
    "codebook",
    "motion",
    "discriminant",
    "splavu",
    "identity",
    "noise",
    "pca",
    "random_projection",
    "subspace",
    "leace",
    "supervised",
)
ORACLES = ("leace", "supervised")  # these read secrets; nobody who fits an adapter for real has them all
KEEP_MOTION = ("veil", "motion")

Report = Callable[[int, dict[str, float]], None]


@dataclass(frozen=True)
class TrainingData:
    """What a method may read: clips and stills of the training videos, the tasks to keep, the labels of the videos.

    With ``motion``, what moves is to be kept besides, for tasks that nobody has named. Only an oracle may look at the
    secrets in ``labels``.
    """

    features: FeatureSet
    tasks: dict[str, Task] = field(default_factory=dict)
    labels: Labels | None = None
    motion: bool = False


class Fit(Protocol):
    """Makes an adapter from ``data``; ``folder`` keeps logs and checkpoints, ``report`` hears of each epoch."""

    def __call__(
        self,
        data: TrainingData,
        config: FitConfig,
        *,
        folder: Path | None = None,
        report: Report | None = None,
    ) -> AnonymizingAdapter: ...


def load_method(name: str, *, motion: bool = False) -> Fit:
    """The function ``fit`` of the method called ``name``, which must be able to keep ``motion`` where that is asked."""
    if name not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, got {name!r}.")
    if motion and name not in KEEP_MOTION:
        raise InputError(
            f"method must be one of {', '.join(KEEP_MOTION)} to keep motion, got {name!r}. "
            "Choose --preset veil, or leave motion out of --tasks."
        )
    return import_module(f"latentveil.methods.{name}").fit
