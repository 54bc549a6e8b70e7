"""Evaluate a task on a store, raw or anonymized: fresh heads on these features, one per seed, scored on test videos."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import read_segments
from latentveil.store import FeatureStore
from latentveil.store.labelled import read_labels
from latentveil.tasks.base import Task, TaskScore
from latentveil.tasks.build import build_tasks
from latentveil.threads import threads_for
from latentveil.types import TEMPORAL


@dataclass(frozen=True)
class HeadScore:
    """What one freshly trained head reaches on the test videos, and how long its training took."""

    seed: int
    score: TaskScore
    fit_seconds: float

    def to_dict(self) -> dict[str, Any]:
        found = {"seed": self.seed, **self.score.interval.to_dict(), "details": self.score.details}
        return found | {"fit_seconds": round(self.fit_seconds, 2)}


@dataclass(frozen=True)
class Evaluation:
    """The scores of one task on one store, a head for every seed."""

    task: str
    store: str
    anonymized: bool
    metric: str
    chance: float
    heads: tuple[HeadScore, ...]

    @property
    def mean(self) -> float:
        """The metric's mean over the seeds."""
        return float(np.mean([head.score.interval.value for head in self.heads]))

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, unknown for a single one."""
        values = [head.score.interval.value for head in self.heads]
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    @property
    def details(self) -> dict[str, float]:
        """Further numbers, each as its mean over the seeds."""
        found = [head.score.details for head in self.heads]
        return {name: float(np.mean([details[name] for details in found])) for name in found[0]}

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "store": self.store,
            "anonymized": self.anonymized,
            "metric": self.metric,
            "chance": self.chance,
            "mean": self.mean,
            "spread": self.spread,
            "details": self.details,
            "seeds": [head.to_dict() for head in self.heads],
        }


def evaluate(
    task: str,
    store: str | Path,
    *,
    labels: str | Path,
    segments: str | Path | None = None,
    seeds: Sequence[int] = (0, 1, 2),
    predictions: str | Path | None = None,
    head: str | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Train a head for each seed on the features of ``store`` and score it on the test videos.

    ``head`` is the name of another head than the task's usual one (`tasks/heads.py`).
    ``predictions`` is where the detections of the first seed's head are written, for the task detection alone.
    """
    if predictions is not None and task != "detection":
        raise InputError(
            f"predictions must be asked for with the task detection, got {task}. Leave them out."
        )
    if not seeds:
        raise InputError("seeds must be one or more, got none.")
    source = FeatureStore(store)
    known = read_labels(labels, source)
    timed = None if segments is None else read_segments(segments)
    features = source.read(TEMPORAL, known.video.tolist())
    built = build_tasks(
        [task],
        features,
        known,
        segments=timed,
        timing=source.manifest.timing,
        heads=None if head is None else {task: head},
    )[task]
    heads = []
    for seed in seeds:
        report(f"seed {seed}")
        with threads_for(features.feature.size):
            heads.append(
                measure_head(built, seed=seed, predictions=predictions if seed == seeds[0] else None)
            )
    return Evaluation(
        task=task,
        store=str(store),
        anonymized=source.manifest.derived_from is not None,
        metric=built.metric,
        chance=built.chance,
        heads=tuple(heads),
    )


def measure_head(task: Task, *, seed: int, predictions: str | Path | None = None) -> HeadScore:
    """Train one head and score it on the test videos; a detector's findings go to the file ``predictions``."""
    started = time.monotonic()
    head = task.fit_head(seed=seed)
    seconds = time.monotonic() - started
    if predictions is not None:
        from latentveil.tasks.detection.predictions import write_predictions
        from latentveil.tasks.detection.task import DetectionTask

        assert isinstance(task, DetectionTask)
        write_predictions(predictions, task.detect(head, "test"))
    return HeadScore(seed, task.score(head, "test", seed=seed), seconds)
