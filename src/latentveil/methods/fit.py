"""The verb `fit`: an adapter by any method, for any tasks, saved as a folder with its settings and training log."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import TRAINING_FOLDER, Adapter
from latentveil.config import FitConfig, load_config
from latentveil.errors import InputError, Notice, UsageError
from latentveil.extraction.live_features import LiveFeatures, VideoSource
from latentveil.labels import Labels, LabelsLike, Segment, SegmentsLike, as_segments
from latentveil.methods.adversarial import train
from latentveil.methods.base import ORACLES, Report, TrainingData, load_method
from latentveil.methods.checkpoint import RunFolder
from latentveil.methods.feed import Feed
from latentveil.methods.splavu import BudgetObjective
from latentveil.progress import OnProgress, Progress, shown, silent
from latentveil.store import FeatureStore
from latentveil.store.labelled import labels_for
from latentveil.store.sources import Features, FeaturesLike, open_features
from latentveil.tasks.base import Task
from latentveil.tasks.build import MOTION, build_tasks, split_motion
from latentveil.types import FeatureSet, concatenate

LIVE_METHOD = "splavu"  # the others read their features once


def fit(
    features: FeaturesLike,
    labels: LabelsLike | None = None,
    output: str | Path | None = None,
    *,
    tasks: str | Sequence[str] = ("action",),
    preset: str = "veil",
    method: str | None = None,
    settings: Mapping[str, Any] | Sequence[str] = (),
    segments: SegmentsLike | None = None,
    videos: VideoSource | str | Path | None = None,
    seed: int = 0,
    device: str = "cpu",
    progress: bool | OnProgress = True,
) -> Adapter:
    """An adapter that hides who is in the videos and keeps what ``tasks`` need, fitted on the training videos.

    ``tasks`` are what the features must stay good for. ``motion`` among them stands for tasks that nobody has named; it
    takes no labels, and where it stands alone and ``labels`` are not given, all videos are for training. ``preset`` is
    veil (ours), paper or released; ``method`` names another method instead; ``settings`` change single values, as
    {"erasure.noise": 0.7} or ["erasure.noise=0.7"]. With ``videos`` the training clips are read from the files and
    encoded in new views each epoch, and ``features`` give the validation features.

    With ``output`` the adapter is saved there, the log of every loss term in ``output/training``, and a run that was
    killed goes on from its last checkpoint.
    """
    source = open_features(features)
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    config = load_config(preset, changes(settings, method=method, seed=seed, device=device))
    known = _all_for_training(source, names) if labels is None else labels_for(labels, source)
    if output is not None:
        _require_free(Path(output))
    material = Material(source, known, tasks=names, segments=as_segments(segments), config=config)
    folder = None if output is None else Path(output) / TRAINING_FOLDER
    with shown(progress) as on_progress:
        adapter = _fit(material, videos, folder=folder, on_progress=on_progress)
    encoder = source.encoder
    adapter.config["encoder"] = None if encoder is None else asdict(encoder)
    adapter.config["recipe"] = {
        "method": config.method,
        "tasks": names,
        "trained_on": "store" if videos is None else "videos",
        "settings": config.model_dump(mode="json"),
    }
    if config.method == "veil" and not material.motion:  # the method motion keeps it unasked
        told = f"Good for {', '.join(names)}; other tasks may be lost. To keep them, too, and hide less: "
        warnings.warn(f"{told}--tasks {','.join([*names, MOTION])}", Notice, stacklevel=2)
    if output is not None:
        adapter.save(output)
        (Path(output) / TRAINING_FOLDER / "checkpoint.pt").unlink(missing_ok=True)
    return adapter


def changes(
    settings: Mapping[str, Any] | Sequence[str], *, method: str | None, seed: int, device: str
) -> list[str]:
    """Every change of a preset as a text ``section.name=value``; single settings come last and win."""
    if isinstance(settings, str):
        raise InputError(
            f"settings must be a list or a dictionary, got the text {settings!r}. Write [{settings!r}]."
        )
    single = (
        [f"{name}={_as_text(value)}" for name, value in settings.items()]
        if isinstance(settings, Mapping)
        else list(settings)
    )
    chosen = [f"method={method}"] if method is not None else []
    return [*chosen, f"train.seed={seed}", f"train.device={device}", *single]


def _as_text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _fit(
    material: Material,
    videos: VideoSource | str | Path | None,
    *,
    folder: Path | None,
    on_progress: OnProgress,
) -> Adapter:
    config = material.config
    num_epochs = config.train.epochs

    def report(epoch: int, terms: dict[str, float]) -> None:
        note = "  ".join(f"{name} {value:.3g}" for name, value in terms.items())
        on_progress(Progress("epochs", epoch + 1, num_epochs, note))

    if videos is None:
        method = load_method(config.method, motion=material.motion)
        return method(material.stored(), config, folder=folder, report=report)
    source = videos if isinstance(videos, VideoSource) else VideoSource([videos])
    return fit_live(material, source, folder=folder, report=report, on_progress=on_progress)


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


def _all_for_training(features: Features, tasks: Sequence[str]) -> Labels:
    """Labels that say no more than that every video is for training, which is enough for motion."""
    if set(tasks) != {MOTION}:
        raise InputError(
            f"labels must be given for the tasks {', '.join(tasks) or 'none'}, got none. "
            f"Add --labels labels.csv, or --tasks {MOTION} to keep what moves, which takes no label."
        )
    videos = np.array(features.videos)
    return Labels(video=videos, split=np.full(len(videos), "train"))


class Material:
    """What a method may read: features of training videos, tasks with their training and validation videos.

    Test videos never get in, and secrets leave the labels unless the method is an oracle, which says so by name.
    """

    def __init__(
        self,
        source: Features,
        labels: Labels,
        *,
        tasks: Sequence[str],
        segments: dict[str, list[Segment]] | None,
        config: FitConfig,
    ) -> None:
        if source.derived_from is not None:
            raise InputError(
                f"{source.name} must hold raw features, got anonymized ones. Fit on the raw store."
            )
        self.source = source
        self.config = config
        self.task_names, self.motion = split_motion(tasks)
        self.segments = segments
        self.train, self.validation = labels.videos("train"), labels.videos("val")
        if not self.train:
            raise InputError("labels must mark some videos of the store as split train, got none.")
        self.labels = labels.only([*self.train, *self.validation])

    def stored(self) -> TrainingData:
        """The training data as the store has them."""
        features = self.source.read(videos=[*self.train, *self.validation])
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
            timing=self.source.timing,
            heads=self.config.heads,
        )


def fit_live(
    material: Material,
    videos: VideoSource,
    *,
    folder: Path | None,
    report: Report | None,
    on_progress: OnProgress = silent,
) -> Adapter:
    """Train on features that are made anew each epoch; heads are chosen on the stored validation features."""
    config = material.config
    if config.method != LIVE_METHOD:
        raise UsageError(
            f"method must be {LIVE_METHOD} to train from videos, got {config.method!r}. "
            "Choose --preset paper or released, or leave out --videos."
        )
    if not isinstance(material.source, FeatureStore):
        raise InputError(
            "features must be a store to train from its videos, got features in memory. Extract the videos first."
        )
    live = LiveFeatures(
        videos,
        material.train,
        manifest=material.source.manifest,
        seed=config.train.seed,
        device=config.train.device,
        on_progress=on_progress,
    )
    validation = material.source.read(videos=material.validation)

    def feeds(epoch: int) -> Feed:
        features = live.features(epoch)
        return Feed(features, material.tasks(concatenate([features, validation])))

    settings = {**config.model_dump(mode="json"), "trained_on": "videos"}
    data = material.stored().fingerprint()
    run = None if folder is None else RunFolder(folder, settings=settings, data=data)
    return train(feeds, BudgetObjective(config.loss), config, run=run, report=report)
