"""Fit an adapter on a store: any method, any tasks, saved as a folder with its settings and training log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.config import FitConfig
from latentveil.datasets.labels import Labels, read_segments
from latentveil.errors import InputError
from latentveil.methods.base import ORACLES, Report, TrainingData, load_method
from latentveil.store import FeatureStore
from latentveil.tasks.build import build_tasks

RUN_FOLDER = "training"


def fit(
    store: str | Path,
    output: str | Path,
    *,
    labels: str | Path,
    config: FitConfig,
    tasks: Sequence[str] = ("action",),
    segments: str | Path | None = None,
    report: Report | None = None,
) -> AnonymizingAdapter:
    """Make an adapter from the training videos of ``store`` and save it in the folder ``output``.

    The log of every loss term stays in ``output/training``. A run that was killed goes on from its last checkpoint.
    """
    source = FeatureStore(store)
    known = Labels.read(labels)
    data = training_data(source, known, tasks=tasks, segments=segments, config=config)
    folder = Path(output) / RUN_FOLDER
    adapter = load_method(config.method)(data, config, folder=folder, report=report)
    adapter.config["encoder"] = source.manifest.model_dump(mode="json")["encoder"]
    adapter.config["recipe"] = {
        "method": config.method,
        "tasks": list(tasks),
        "settings": config.model_dump(mode="json"),
    }
    adapter.save_pretrained(output)
    (folder / "checkpoint.pt").unlink(missing_ok=True)
    return adapter


def training_data(
    store: FeatureStore,
    labels: Labels,
    *,
    tasks: Sequence[str],
    segments: str | Path | None,
    config: FitConfig,
) -> TrainingData:
    """What the method may read: features of training videos, tasks with their training and validation videos.

    Secrets leave the labels here unless the method is an oracle, which says so by name.
    """
    if store.manifest.derived_from is not None:
        raise InputError(
            f"store {store.path} must hold raw features, got anonymized ones. Fit on the raw store."
        )
    labels = labels.only(store.videos)
    train = labels.videos("train")
    if not train:
        raise InputError("labels must mark some videos of the store as split train, got none.")
    features = store.read(videos=[*train, *labels.videos("val")])
    built = build_tasks(
        tasks,
        features,
        labels.only(features.videos),
        segments=None if segments is None else read_segments(segments),
        clips_per_video=config.train.clips_per_video,
    )
    shown = labels.only(train) if config.method in ORACLES else None
    return TrainingData(features=features.of_videos(train), tasks=built, labels=shown)
