"""Fit an adapter on a store: any method, any tasks, saved as a folder with its settings and training log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from latentveil.adapters.adapter import TRAINING_FOLDER, Adapter
from latentveil.errors import InputError
from latentveil.extraction.live_features import LiveFeatures, VideoSource
from latentveil.labels import Labels, read_segments
from latentveil.methods.base import TrainingData
from latentveil.methods.material import build_training_data, require_training_videos
from latentveil.methods.plan import FitPlan, load_config
from latentveil.progress import OnProgress, silent
from latentveil.store import FeatureStore
from latentveil.store.labelled import read_labels
from latentveil.tasks.build import MOTION
from latentveil.types import concatenate


def fit(
    store: str | Path,
    output: str | Path,
    *,
    labels: str | Path | None = None,
    config: FitPlan | None = None,
    tasks: Sequence[str] = ("action",),
    segments: str | Path | None = None,
    videos: VideoSource | None = None,
    on_progress: OnProgress = silent,
) -> Adapter:
    """Make an adapter from the training videos of ``store`` and save it in the folder ``output``.

    ``tasks`` are what the features must stay good for. ``motion`` among them stands for tasks that nobody has named; it
    takes no labels, and where it stands alone and ``labels`` are not given, all videos are for training. ``config`` is
    the preset `veil` unless given. With ``videos`` the training clips are read from the files and encoded in new views
    each epoch, and the store gives the validation features. The log of every loss term stays in ``output/training``. A
    run that was killed goes on from its last checkpoint.
    """
    plan = config or load_config()
    opened = FeatureStore(store)
    known = _all_for_training(opened, tasks) if labels is None else read_labels(labels, opened)
    _require_free(Path(output))
    if opened.manifest.derived_from is not None:
        raise InputError(
            f"store {opened.path} must hold raw features, got anonymized ones. Fit on the raw store."
        )
    plan.check(motion=MOTION in tasks, live=videos is not None)
    data = _read_training_data(opened, known, plan, tasks=tasks, segments=segments, videos=videos)
    folder = Path(output) / TRAINING_FOLDER
    adapter = plan.fit(data, folder=folder, on_progress=on_progress)
    adapter.config["encoder"] = opened.manifest.model_dump(mode="json")["encoder"]
    adapter.config["recipe"] = {
        **plan.to_dict(),
        "tasks": list(tasks),
        "trained_on": "store" if videos is None else "videos",
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


def _read_training_data(
    store: FeatureStore,
    labels: Labels,
    plan: FitPlan,
    *,
    tasks: Sequence[str],
    segments: str | Path | None,
    videos: VideoSource | None,
) -> TrainingData:
    """What the store holds for the method, and with ``videos`` what each epoch makes anew of them."""
    train, validation = require_training_videos(labels), labels.videos("val")
    build = partial(
        build_training_data,
        labels=labels,
        plan=plan,
        tasks=tasks,
        segments=None if segments is None else read_segments(segments),
        timing=store.manifest.timing,
    )
    stored = build(store.read(videos=[*train, *validation]))
    if videos is None:
        return stored
    run = plan.settings.train
    live = LiveFeatures(videos, train, manifest=store.manifest, seed=run.seed, device=run.device)
    chosen_on = store.read(videos=validation)
    return replace(stored, fresh=lambda epoch: build(concatenate([live.features(epoch), chosen_on])))
