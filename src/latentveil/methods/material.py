"""The one way to what a method may read: test videos never get in, and secrets are for oracles alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from latentveil.config import Settings
from latentveil.errors import InputError, UsageError
from latentveil.labels import SECRET_PREFIX, Labels, Segment
from latentveil.methods.base import Parts, TrainingData
from latentveil.methods.plan import FitPlan
from latentveil.methods.settings import TrainedSettings
from latentveil.store import FeatureStore
from latentveil.store.sources import Features
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
    require_named(plan.settings, names)
    train = require_training_videos(labels)
    known = labels.only([*train, *labels.videos("val")])
    return TrainingData(
        features=features.of_videos(train),
        tasks=build_tasks(
            names,
            features.of_videos(known.video.tolist()),
            known.without_secrets(),
            segments=segments,
            timing=timing,
            **plan.settings.task_options(),
        ),
        labels=known.only(train) if plan.method.oracle else None,
        motion=motion,
        groups=groups_in(labels, plan),
    )


def set_data(
    source: Features, labels: Labels | None, plan: FitPlan, *, videos: Sequence[str] | None = None
) -> TrainingData:
    """What a method may read that treats videos as a set: the ``videos``, or all, and what they belong to."""
    store = source if isinstance(source, FeatureStore) else None
    parts = store.shards if store is not None else partial(iter, [source.read()])
    if videos is not None:
        parts = partial(_parts_of, parts, np.array(videos, dtype=str))
    groups = {} if labels is None else groups_in(labels, plan)
    return TrainingData(features=source.read(videos=[]), motion=True, groups=groups, parts=parts)


def _parts_of(parts: Parts, videos: np.ndarray) -> Iterator[FeatureSet]:
    """The parts that have some of the ``videos``, without others."""
    for part in parts():
        rows = np.flatnonzero(np.isin(part.video, videos))
        if len(rows):
            yield part.select(rows)


def groups_in(labels: Labels, plan: FitPlan) -> dict[str, dict[str, str]]:
    """The columns that the plan's method takes for groups, {column: {video: group}}."""
    return {name: _groups_by(labels, name) for name in plan.settings.group_columns()}


def _groups_by(labels: Labels, name: str) -> dict[str, str]:
    if name.removeprefix(SECRET_PREFIX) in labels.secrets:
        raise InputError(
            f"groups must be a column that is no secret, got {name!r}. Name the person or the recording, whose "
            "videos belong together."
        )
    return dict(zip(labels.video.tolist(), labels.column(name).tolist()))


def require_named(settings: Settings, tasks: Sequence[str]) -> None:
    """Refuse weights and heads of tasks that are not there: they would change nothing."""
    if not isinstance(settings, TrainedSettings):
        return
    for table in ("task_weights", "heads"):
        unread = [name for name in getattr(settings, table) if name not in tasks]
        if unread:
            raise UsageError(
                f"{table}.{unread[0]} must be of a task that is named, got the tasks {', '.join(tasks) or 'none'}. "
                f"Leave it out, or add {unread[0]} to the tasks."
            )


def require_training_videos(labels: Labels) -> list[str]:
    """The training videos, of which there must be some."""
    train = labels.videos("train")
    if not train:
        raise InputError("labels must mark some videos of the store as split train, got none.")
    return train
