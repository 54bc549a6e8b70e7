"""Fit an adapter on a store: any method, any tasks, saved as a folder with its settings and training log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from latentveil.adapters.adapter import TRAINING_FOLDER, Adapter
from latentveil.config import FitConfig, load_config
from latentveil.errors import InputError
from latentveil.extraction.live_features import LiveFeatures, VideoSource
from latentveil.labels import Labels, read_segments
from latentveil.methods.adversarial import train
from latentveil.methods.base import ORACLES, Report, TrainingData, load_method
from latentveil.methods.checkpoint import RunFolder
from latentveil.methods.feed import Feed
from latentveil.methods.splavu import BudgetObjective
from latentveil.store import FeatureStore
from latentveil.store.labelled import read_labels
from latentveil.tasks.base import Task
from latentveil.tasks.build import MOTION, build_tasks, split_motion
from latentveil.types import FeatureSet, concatenate

LIVE_METHOD = "splavu"  # the others read their features once


def fit(
    store: str | Path,
    output: str | Path,
    *,
    labels: str | Path | None = None,
    config: FitConfig | None = None,
    tasks: Sequence[str] = ("action",),
    segments: str | Path | None = None,
    videos: VideoSource | None = None,
    report: Report | None = None,
) -> Adapter:
    """Make an adapter from the training videos of ``store`` and save it in the folder ``output``.

    ``tasks`` are what the features must stay good for. ``motion`` among them stands for tasks that nobody has named; it
    takes no labels, and where it stands alone and ``labels`` are not given, all videos are for training. ``config`` is
    the preset `veil` unless given. With ``videos`` the training clips are read from the files and encoded in new views
    each epoch, and the store gives the validation features. The log of every loss term stays in ``output/training``. A
    run that was killed goes on from its last checkpoint.
    """
    config = config or load_config("veil")
    opened = FeatureStore(store)
    known = _all_for_training(opened, tasks) if labels is None else read_labels(labels, opened)
    _require_free(Path(output))
    material = Material(opened, known, tasks=tasks, segments=segments, config=config)
    folder = Path(output) / TRAINING_FOLDER
    method = load_method(config.method, motion=material.motion)
    if videos is None:
        adapter = method(material.stored(), config, folder=folder, report=report)
    else:
        adapter = fit_live(material, videos, folder=folder, report=report)
    adapter.config["encoder"] = material.store.manifest.model_dump(mode="json")["encoder"]
    adapter.config["recipe"] = {
        "method": config.method,
        "tasks": list(tasks),
        "trained_on": "store" if videos is None else "videos",
        "settings": config.model_dump(mode="json"),
    }
    adapter.save_pretrained(output)
    (folder / "checkpoint.pt").unlink(missing_ok=True)
    return adapter


def _require_free(folder: Path) -> None:
    """Refuse a folder with anything in it but a fit that was stopped, so that no adapter is replaced by accident."""
    if not folder.is_dir() or (folder / TRAINING_FOLDER / "checkpoint.pt").exists():
        return
    found = sorted(path.name for path in folder.iterdir() if path.name != TRAINING_FOLDER)
    if found:
        raise InputError(
            f"{folder} must be a new folder, or one of a fit that was stopped, got one that holds {found[0]!r}. "
            "Choose another folder, or delete this one."
        )


def _all_for_training(store: FeatureStore, tasks: Sequence[str]) -> Labels:
    """Labels that say no more than that every video of the store is for training, which is enough for motion."""
    if set(tasks) != {MOTION}:
        raise InputError(
            f"labels must be given for the tasks {', '.join(tasks) or 'none'}, got none. "
            f"Add --labels labels.csv, or --tasks {MOTION} to keep what moves, which takes no label."
        )
    videos = np.array(store.videos)
    return Labels(video=videos, split=np.full(len(videos), "train"))


class Material:
    """What a method may read: features of training videos, tasks with their training and validation videos.

    Test videos never get in, and secrets leave the labels unless the method is an oracle, which says so by name.
    """

    def __init__(
        self,
        store: FeatureStore,
        labels: Labels,
        *,
        tasks: Sequence[str],
        segments: str | Path | None,
        config: FitConfig,
    ) -> None:
        if store.manifest.derived_from is not None:
            raise InputError(
                f"store {store.path} must hold raw features, got anonymized ones. Fit on the raw store."
            )
        self.store = store
        self.config = config
        self.task_names, self.motion = split_motion(tasks)
        self.segments = None if segments is None else read_segments(segments)
        self.train, self.validation = labels.videos("train"), labels.videos("val")
        if not self.train:
            raise InputError("labels must mark some videos of the store as split train, got none.")
        self.labels = labels.only([*self.train, *self.validation])

    def stored(self) -> TrainingData:
        """The training data as the store has them."""
        features = self.store.read(videos=[*self.train, *self.validation])
        shown = self.labels.only(self.train) if self.config.method in ORACLES else None
        return TrainingData(features.of_videos(self.train), self.tasks(features), shown, motion=self.motion)

    def tasks(self, features: FeatureSet) -> dict[str, Task]:
        """The tasks on ``features`` of the training and validation videos."""
        return build_tasks(
            self.task_names,
            features,
            self.labels,
            segments=self.segments,
            clips_per_video=self.config.train.clips_per_video,
            timing=self.store.manifest.timing,
            heads=self.config.heads,
        )


def fit_live(material: Material, videos: VideoSource, *, folder: Path, report: Report | None) -> Adapter:
    """Train on features that are made anew each epoch; heads are chosen on the stored validation features."""
    config = material.config
    if config.method != LIVE_METHOD:
        raise InputError(
            f"method must be {LIVE_METHOD} to train from videos, got {config.method!r}. "
            "Choose --preset paper or released, or leave out --videos."
        )
    live = LiveFeatures(
        videos,
        material.train,
        manifest=material.store.manifest,
        seed=config.train.seed,
        device=config.train.device,
    )
    validation = material.store.read(videos=material.validation)

    def feeds(epoch: int) -> Feed:
        features = live.features(epoch)
        return Feed(features, material.tasks(concatenate([features, validation])))

    settings = {**config.model_dump(mode="json"), "trained_on": "videos"}
    run = RunFolder(folder, settings=settings, data=material.stored().fingerprint())
    return train(feeds, BudgetObjective(config.loss), config, run=run, report=report)
