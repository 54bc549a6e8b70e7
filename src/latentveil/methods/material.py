"""The one way to what a method may read: test videos never get in, and secrets are for oracles alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from latentveil.errors import InputError
from latentveil.labels import SECRET_PREFIX, Labels, Segment
from latentveil.methods.base import TrainingData
from latentveil.methods.plan import FitPlan
from latentveil.tasks.build import build_tasks, split_motion
from latentveil.types import ClipTiming, FeatureSet


def build_training_data(
    features: FeatureSet,
    labels: Labels,
    plan: FitPlan,
    *,
    tasks: Sequence[str] = ("action",),
    segments: dict[str, list[Segment]] | None = None,
    timing: ClipTiming | None = None,
) -> TrainingData:
    """What the plan's method may read of ``features``, which may hold other videos than those of ``labels``.

    The method gets the training videos; the tasks, too, have the validation videos, on which heads are chosen.
    ``tasks`` are names of tasks, with `motion` among them for what nobody has named. ``timing`` is that of the store.
    """
    names, motion = split_motion(tasks)
    train = require_training_videos(labels)
    known = labels.only([*train, *labels.videos("val")])
    return TrainingData(
        features=features.of_videos(train),
        tasks=build_tasks(
            names,
            features.of_videos(known.video.tolist()),
            without_secrets(known),
            segments=segments,
            timing=timing,
            **plan.settings.task_options(),
        ),
        labels=known.only(train) if plan.method.oracle else None,
        motion=motion,
    )


def require_training_videos(labels: Labels) -> list[str]:
    """The training videos, of which there must be some."""
    train = labels.videos("train")
    if not train:
        raise InputError("labels must mark some videos of the store as split train, got none.")
    return train


def without_secrets(labels: Labels) -> Labels:
    """The labels without the columns that hold private attributes."""
    columns = {name: values for name, values in labels.columns.items() if not name.startswith(SECRET_PREFIX)}
    return replace(labels, columns=columns)
