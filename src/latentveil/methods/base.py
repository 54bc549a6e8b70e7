"""What a method is and what it reads: a file `methods/<name>.py` that assigns ``method`` is the method of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from latentveil import config
from latentveil.adapters.adapter import Adapter
from latentveil.arguments import argument
from latentveil.errors import InputError, UsageError
from latentveil.labels import Labels
from latentveil.plugins import Kind
from latentveil.progress import OnProgress, silent
from latentveil.tasks.base import Task
from latentveil.types import FeatureSet


def with_stills() -> str:
    """What to do where stills are missing, for errors."""
    return f"Extract with {argument('static', 10)}, or import {argument('stills')} beside the clips"


# Gives features part by part, anew at every call; no video is cut.
Parts = Callable[[], Iterator[FeatureSet]]


@dataclass(frozen=True)
class TrainingData:
    """What a method may read: clips and stills of the training videos, the tasks to keep, the labels of the videos.

    With ``motion``, what moves is to be kept besides, for tasks that nobody has named. ``labels`` are there for an
    oracle alone. ``fresh(epoch)`` gives the same data with features made anew for an epoch, where they are.
    ``groups`` says what each video belongs to, {column: {video: group}}, and ``parts`` gives the videos part by part,
    for a method that treats them as a set and need not hold all of them; ``features`` are then empty.
    """

    features: FeatureSet
    tasks: dict[str, Task] = field(default_factory=dict)
    labels: Labels | None = None
    motion: bool = False
    groups: dict[str, dict[str, str]] = field(default_factory=dict)
    parts: Parts | None = None
    fresh: Callable[[int], TrainingData] | None = None

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
    """Makes an adapter from data; ``settings`` are of the method's own model.

    ``folder`` keeps logs and checkpoints, ``on_progress`` hears of each epoch; a method that has none of these may
    leave them alone (``**_``).
    """

    def __call__(
        self,
        data: TrainingData,
        settings: Any,
        /,
        *,
        folder: Path | None = None,
        on_progress: OnProgress = silent,
    ) -> Adapter: ...


Dials = Mapping[str, Sequence[Any]]


def no_dials(with_motion: bool) -> Dials:
    return {}


@dataclass(frozen=True)
class Method:
    """A way to make an adapter: ``fit`` does it, ``Settings`` are all that can be set, ``about`` says it in a sentence.

    An ``oracle`` reads secrets, which nobody has who fits an adapter for real. A method that ``keeps_motion`` can keep
    what moves for tasks without a name; one that is ``trained`` takes epochs, logs them and goes on after a kill; a
    ``live`` one can train on features that are made anew each epoch; one that works ``as_set`` treats all videos of a
    release together, and its seed must stay secret. ``dials(with_motion)`` are the settings, each with some
    values, that `tune` tries unless told otherwise, where motion is to be kept or not.
    """

    name: str
    fit: Fit
    about: str
    Settings: type[config.Settings] = config.Settings
    oracle: bool = False
    keeps_motion: bool = False
    trained: bool = False
    live: bool = False
    as_set: bool = False
    dials: Callable[[bool], Dials] = no_dials

    def __post_init__(self) -> None:
        if not issubclass(self.Settings, config.Settings):
            raise InputError(
                f"Settings of the method {self.name} must derive from latentveil.config.Settings, "
                f"got {self.Settings.__name__}."
            )


METHODS = Kind("method", "latentveil.methods", Method)


def load_method(name: str | Method, *, motion: bool = False, live: bool = False) -> Method:
    """The method called ``name``, which must be able to keep ``motion`` or to train ``live`` where that is asked."""
    method = METHODS.get(name)
    if motion and not method.keeps_motion:
        able = ", ".join(found.name for found in METHODS.all() if found.keeps_motion)
        raise UsageError(
            f"method must be one of {able} to keep motion, got {method.name!r}. "
            f"Choose {argument('preset', 'veil')}, or leave motion out of the tasks."
        )
    if live and not method.live:
        able = ", ".join(found.name for found in METHODS.all() if found.live)
        raise UsageError(
            f"method must be {able} to train from videos, got {method.name!r}. "
            "Choose the preset paper or released, or leave out the videos."
        )
    return method
