"""The one builder of training data: a method and its heads are shown training and validation videos, never others."""

from __future__ import annotations

from collections.abc import Sequence

from latentveil.config import FitConfig
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.methods.base import ORACLES, TrainingData
from latentveil.tasks.build import build_tasks
from latentveil.types import ClipTiming, FeatureSet


def training_data(
    features: FeatureSet,
    labels: Labels,
    *,
    tasks: Sequence[str],
    config: FitConfig,
    motion: bool = False,
    segments: dict[str, list[Segment]] | None = None,
    timing: ClipTiming | None = None,
) -> TrainingData:
    """What the method of ``config`` may read of ``features``, which may hold videos of every split.

    The method gets the training videos, the heads of the ``tasks`` are chosen on the validation videos, and no test
    video gets in. Secrets leave the labels unless the method is an oracle, which says so by name.
    """
    train = labels.videos("train")
    if not train:
        raise InputError("labels must mark some videos of the store as split train, got none.")
    known = labels.only([*train, *labels.videos("val")])
    built = build_tasks(
        tasks,
        features.of_videos(known.video.tolist()),
        known,
        segments=segments,
        clips_per_video=config.train.clips_per_video,
        timing=timing,
        heads=config.heads,
    )
    shown = known.only(train) if config.method in ORACLES else None
    return TrainingData(features.of_videos(train), built, shown, motion=motion)
