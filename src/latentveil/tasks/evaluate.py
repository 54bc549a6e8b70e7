"""The verb `evaluate`: what a task reaches on features, raw or anonymized, with fresh heads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import UsageError
from latentveil.labels import LabelsLike, SegmentsLike, as_segments
from latentveil.machine.threads import threads_for
from latentveil.progress import OnProgress, Progress, shown
from latentveil.seeds import require_seed
from latentveil.store import FeatureStore
from latentveil.store.labelled import labels_for
from latentveil.store.sample import Sample, bytes_to_read, draw_videos
from latentveil.store.sources import FeaturesLike, open_features
from latentveil.tasks.base import Task, TaskScore
from latentveil.tasks.build import build_tasks, check_tasks
from latentveil.types import TEMPORAL

MOST_BYTES = 400 << 20  # of features; of a larger store a sample is read


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
    """The scores of one task on some features, a head for every seed."""

    task: str
    features: str
    anonymized: bool | None  # not known of features in memory
    metric: str
    chance: float
    heads: tuple[HeadScore, ...]
    sample: Sample | None = None  # of a store that is too large to be read whole

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

    def __str__(self) -> str:
        """One line for every seed, with the interval over videos, and one for their mean."""
        names = {None: "features in memory", True: "anonymized features", False: "raw features"}
        lines = [f"{self.task} on {names[self.anonymized]}: {self.metric}, chance {self.chance:.3f}"]
        for head in self.heads:
            lines.append(f"seed {head.seed}  {head.score.interval}  {_in_words(head.score.details)}".rstrip())
        spread = "" if self.spread is None else f" ± {self.spread:.3f}"
        lines.append(f"mean    {self.mean:.3f}{spread}  {_in_words(self.details)}".rstrip())
        if self.sample is not None:
            lines.append(f"Measured on {self.sample}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "store": self.features,
            "anonymized": self.anonymized,
            "metric": self.metric,
            "chance": self.chance,
            "mean": self.mean,
            "spread": self.spread,
            "details": self.details,
            "seeds": [head.to_dict() for head in self.heads],
            "sampled": None if self.sample is None else self.sample.to_dict(),
        }


def evaluate(
    task: str,
    features: FeaturesLike,
    labels: LabelsLike,
    *,
    segments: SegmentsLike | None = None,
    head: str | None = None,
    seeds: int | Sequence[int] = 3,
    predictions: str | Path | None = None,
    read_gb: float | None = None,
    progress: bool | OnProgress = True,
) -> Evaluation:
    """What ``task`` reaches on features, raw or anonymized: a fresh head for each seed, scored on the test videos.

    ``head`` is the name of another head than the task's usual one. ``seeds`` is their number, or the seeds themselves.
    ``predictions`` is where the detections of the first seed's head are written, for the task detection alone.
    Of a store with more than ``read_gb`` gigabytes of features (0.4 unless given) a sample of videos is read, drawn by
    the first seed; the result says so.
    """
    if predictions is not None and task != "detection":
        raise UsageError(
            f"predictions must be asked for with the task detection, got {task}. Leave them out."
        )
    chosen = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not chosen:
        raise UsageError("seeds must be one or more, got none.")
    for seed in chosen:
        require_seed(seed)
    heads = None if head is None else {task: head}
    check_tasks([task], with_segments=segments is not None, heads=heads)
    most = bytes_to_read(read_gb, MOST_BYTES)
    source = open_features(features)
    known = labels_for(labels, source)
    sample = draw_videos(source, known.video.tolist(), most_bytes=most, seed=chosen[0])
    known = known if sample is None else known.only(sample.names)
    clips = source.read(TEMPORAL, known.video.tolist())
    built = build_tasks(
        [task],
        clips,
        known,
        segments=as_segments(segments),
        timing=source.timing,
        heads=heads,
    )[task]
    scores = []
    with shown(progress) as on_progress, threads_for(clips.feature.size):
        for number, seed in enumerate(chosen):
            on_progress(Progress(f"training heads for {task}", number, len(chosen)))
            scores.append(measure_head(built, seed=seed, predictions=None if number else predictions))
        on_progress(Progress(f"training heads for {task}", len(chosen), len(chosen)))
    return Evaluation(
        task=task,
        features=str(source.path) if isinstance(source, FeatureStore) else source.name,
        anonymized=source.derived_from is not None if isinstance(source, FeatureStore) else None,
        metric=built.metric,
        chance=built.chance,
        heads=tuple(scores),
        sample=sample,
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


def _in_words(details: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.3f}" for name, value in details.items())
