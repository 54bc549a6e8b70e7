"""What a method reads, and how one is found: the file `methods/<name>.py` with a function ``fit`` is the method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig
from latentveil.errors import InputError
from latentveil.labels import Labels
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

    def fingerprint(self) -> str:
        """A hash of the features and of what tasks and labels say of them: a checkpoint of other data has another."""
        digest = sha256()
        for column in (self.features.video, self.features.kind, self.features.feature):
            digest.update(np.ascontiguousarray(column).view(np.uint8).data)
        for name, task in self.tasks.items():
            digest.update(name.encode())
            for stretch, label in task.examples():
                digest.update(np.ascontiguousarray(stretch).view(np.uint8).data)
                digest.update(str(label).encode())
        if self.labels is not None:
            for name in self.labels.secrets:
                digest.update("\n".join([name, *self.labels.column(name).tolist()]).encode())
        return digest.hexdigest()


class Fit(Protocol):
    """Makes an adapter from ``data``; ``folder`` keeps logs and checkpoints, ``report`` hears of each epoch."""

    def __call__(
        self,
        data: TrainingData,
        config: FitConfig,
        *,
        folder: Path | None = None,
        report: Report | None = None,
    ) -> Adapter: ...


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
