"""One cell of the page: an anonymizer made on the training people, graded on the test people, with its cost."""

from __future__ import annotations

import json
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from latentveil.bench.pixel_clips import GradedClips, read_clips
from latentveil.bench.pixel_grades import ReaderShape, read_actions, train_reader, video_features

import latentveil as lv
from benchmarks.pages.pixels.rows import SECRETS, Row
from latentveil.errors import Notice
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.fit import make_unlearned
from latentveil.pixels.networks.base import count_parameters
from latentveil.progress import Progress
from latentveil.tasks.probes import fit_linear_probe

READER = ReaderShape(epochs=10)


def measure(row: Row, data: Path, folder: Path, *, seed: int) -> dict[str, Any]:
    """What the graders found of one row and seed, and its cost."""
    labels, videos = Labels.read(data / "labels.csv"), collect_videos([data])
    raw = read_clips(videos, labels)
    if row.latent:
        return measure_latent(raw, seed=seed)
    clock = Clock()
    anonymizer = make(row, data, folder / f"{row.name}-{seed}".replace(" ", "_"), seed=seed, clock=clock)
    made = raw if anonymizer is None else read_clips(videos, labels, anonymizer=anonymizer)
    cost = clock.cost() | {"parameters": 0 if anonymizer is None else count_parameters(anonymizer)}
    return describe(raw, made, seed=seed) | {"cost": cost}


def make(row: Row, data: Path, folder: Path, *, seed: int, clock: Clock) -> PixelAnonymizer | None:
    """The anonymizer of a row, trained where it must be."""
    if row.method is None:
        return None
    if not row.learned:
        changes = list(row.settings)
        if "detector=boxes" in changes:
            changes.append(f"detector_options.file={data / 'boxes.csv'}")
        return make_unlearned(row.method, row.preset, changes)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = lv.fit(
            data,
            data / "labels.csv",
            None if (folder / "config.json").exists() else folder,
            method=row.method,
            preset=row.preset,
            settings=list(row.settings),
            seed=seed,
            progress=clock,
        )
    clock.notices = [str(notice.message) for notice in told if issubclass(notice.category, Notice)]
    assert isinstance(made, PixelAnonymizer)
    return made


class Clock:
    """Hears of a training's progress: the processor time of each epoch, and the most memory that was needed."""

    def __init__(self) -> None:
        self.epochs: list[float] = []
        self.notices: list[str] = []
        self._last = time.process_time()

    def __call__(self, progress: Progress) -> None:
        now = time.process_time()
        if progress.stage == "fitting":
            self.epochs.append(now - self._last)
        self._last = now

    def cost(self) -> dict[str, Any]:
        """Seconds of one epoch (the median), and peak memory in MB; None where nothing was trained."""
        if not self.epochs:
            return {"epoch_seconds": None, "peak_megabytes": None, "notices": self.notices}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {
            "epoch_seconds": float(np.median(self.epochs)),
            "peak_megabytes": peak,
            "notices": self.notices,
        }


def describe(raw: GradedClips, made: GradedClips, *, seed: int) -> dict[str, Any]:
    """Hits of every grader on the test videos, and the people in them."""
    test = made.rows("test")
    on_raw = train_reader(raw, SECRETS, READER, seed=seed)
    readers = {"trained on raw": on_raw}
    if made is not raw:
        readers["from scratch"] = train_reader(made, SECRETS, READER, seed=seed)
        readers["tuned from raw"] = train_reader(made, SECRETS, READER, seed=seed, start=on_raw)
    secrets = {name: reader.right(made, test) for name, reader in readers.items()}
    features = video_features(made)
    secrets["linear on features"] = linear(features, made, seed=seed)
    return told(made, read_actions(made, features, seed=seed), secrets)


def measure_latent(raw: GradedClips, *, seed: int) -> dict[str, Any]:
    """The latent method on features of the same clips, and of stills: frames that are repeated."""
    clips = video_features(raw)[:, None]  # (V, 1, D)
    tiled = [np.repeat(raw.pictures[:, [place]], raw.pictures.shape[1], axis=1) for place in (0, -1)]
    stills = np.stack(
        [video_features(GradedClips(frames, raw.labels)) for frames in tiled], axis=1
    )  # (V, 2, D)
    names = raw.labels.video.tolist()
    clock = Clock()
    table = {"video": raw.labels.video, "split": raw.labels.split, "action": raw.labels.column("action")}
    adapter = lv.fit(
        lv.FeatureSet.from_arrays(dict(zip(names, clips)), stills=dict(zip(names, stills))),
        table,
        preset="paper",
        settings=["train.epochs=20", "adapter.init=exact"],
        seed=seed,
        progress=clock,
    )
    with torch.inference_mode():
        safe = adapter(torch.from_numpy(clips))[:, 0].numpy()
    cost = clock.cost() | {"parameters": count_parameters(adapter)}
    hits = read_actions(raw, safe, seed=seed)
    return told(raw, hits, {"linear on features": linear(safe, raw, seed=seed)}) | {"cost": cost}


def linear(features: np.ndarray, clips: GradedClips, *, seed: int) -> dict[str, np.ndarray]:
    """Whether a linear probe on features (V, D) finds each secret of the test videos."""
    train, val, test = (clips.rows(split) for split in ("train", "val", "test"))
    hits = {}
    for secret in SECRETS:
        truth = clips.classes(secret)
        probe = fit_linear_probe(features[train], truth[train], features[val], truth[val], seed=seed)
        hits[secret] = probe.logits(features[test]).argmax(axis=1) == truth[test]
    return hits


def told(clips: GradedClips, action: np.ndarray, secrets: dict[str, dict[str, np.ndarray]]) -> dict[str, Any]:
    """All hits as lists, for a JSON file."""
    test = clips.rows("test")
    chance = {
        name: float(np.bincount(clips.classes(name)[test]).max() / len(test)) for name in ("action", *SECRETS)
    }
    return {
        "people": clips.labels.column("person")[test].tolist(),
        "action": action.astype(int).tolist(),
        "secrets": {
            attack: {name: hits.astype(int).tolist() for name, hits in found.items()}
            for attack, found in secrets.items()
        },
        "chance": chance,
    }


def save(path: Path, cell: dict[str, Any]) -> None:
    """Write a cell under its name only when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(cell))
    partial.rename(path)
