"""The anonymizer of a row that rewrites videos: found where it was trained before, or else made now."""

from __future__ import annotations

import json
import shutil
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from latentveil.bench.convergence import TOLERANCE, drift_of
from latentveil.bench.data import BOXES
from latentveil.bench.rows import Row
from latentveil.config import Settings, change_settings
from latentveil.errors import Notice
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS, PixelMethod, TrainingVideos
from latentveil.pixels.fit import record_recipe, training_videos
from latentveil.progress import OnProgress, silent

LOG, NOTICES, TRAINING = "log.jsonl", "notices.json", "training"
SPENT = "core_seconds.txt"  # what the training took
TERMS = ("task", "budget", "penalty", "confusion", "triplet", "tubelets")  # what players minimise or raise


@dataclass(frozen=True)
class Made:
    """An anonymizer, its training log (empty for one that learned nothing), and what was said while it trained.

    ``core_seconds`` are what the training took since it was last resumed; None where nobody looked. ``weights`` are
    those of the terms of its loss.
    """

    anonymizer: PixelAnonymizer
    log: list[dict[str, float]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    place: Path | None = None
    core_seconds: float | None = 0.0
    weights: dict[str, float] = field(default_factory=dict)

    def training(self) -> dict[str, Any] | None:
        """The terms in the first and the last epoch, and whether the last fifth of the epochs still moved them."""
        if not self.log:
            return None
        terms = {name: self.weights.get(name, 1.0) for name in TERMS if name in self.log[0]}
        weighted = [[weight * line[name] for name, weight in terms.items() if weight] for line in self.log]
        still = drift_of(weighted, beyond_luck=True)
        return {
            "epochs": len(self.log),
            "first": _rounded(self.log[0]),
            "last": _rounded(self.log[-1]),
            "drift": still,
            "converged": still <= TOLERANCE,
            "notices": self.notices,
        }


def settings_on(row: Row, folder: Path, *, seed: int) -> Settings:
    """The row's settings; boxes that are read from a file are those of the data."""
    settings = row.pixel_settings(seed=seed)
    if getattr(settings, "detector", "") != "boxes":
        return settings
    boxes = f"detector_options.file={folder / BOXES}"
    return change_settings(settings, [boxes], owner=f"the row {row.name}")


def make_anonymizer(
    row: Row, places: Sequence[Path], labels: Labels, *, folder: Path, seed: int, shared: Path
) -> Made:
    """The row's anonymizer, trained on those of the videos in ``places`` that it may know and that show an action.

    ``folder`` is that of the data, which has the boxes.
    """
    shown = labels.only(labels.video[labels.column("action") != ""])
    oracle = PIXEL_METHODS.get(row.pixels).oracle
    videos = training_videos(list(places), shown, tasks=row.tasks, secrets=oracle)
    return fit_or_load(row, videos, settings_on(row, folder, seed=seed), shared=shared)


def fit_or_load(
    row: Row,
    videos: TrainingVideos,
    settings: Settings,
    *,
    shared: Path,
    on_progress: OnProgress = silent,
) -> Made:
    """The row's anonymizer; ``shared`` keeps those that learned, by a hash of all that they were made from."""
    method = PIXEL_METHODS.get(row.pixels)
    if not method.learned:
        return Made(method.make(videos, settings))
    place = shared / f"pixels-{content_hash(method, videos, settings)}"
    if not (place / "config.json").is_file():
        _fit(method, videos, settings, place=place, on_progress=on_progress)
    log = [json.loads(line) for line in (place / LOG).read_text().splitlines()]
    notices = json.loads((place / NOTICES).read_text())
    spent = float((place / SPENT).read_text()) if (place / SPENT).is_file() else None
    return Made(PixelAnonymizer.from_pretrained(str(place)), log, notices, place, spent, weights_of(settings))


def weights_of(settings: Settings) -> dict[str, float]:
    """The weight of each term that a section of its own name sets; others have 1."""
    sections = ((name, getattr(settings, name, None)) for name in TERMS)
    return {name: float(getattr(section, "weight", 1.0)) for name, section in sections if section is not None}


def content_hash(method: PixelMethod, videos: TrainingVideos, settings: Settings) -> str:
    """A hash of method, settings and videos."""
    made_from = [method.name, settings.model_dump(mode="json"), videos.fingerprint()]
    return sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:24]


def _fit(
    method: PixelMethod, videos: TrainingVideos, settings: Settings, *, place: Path, on_progress: OnProgress
) -> None:
    training, started = place / TRAINING, time.process_time()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        anonymizer = method.make(videos, settings, folder=training, on_progress=on_progress)
    record_recipe(anonymizer, method, settings, tasks=videos.tasks)
    said = [str(notice.message) for notice in told if issubclass(notice.category, Notice)]
    (place / NOTICES).write_text(json.dumps(said))
    (place / SPENT).write_text(f"{time.process_time() - started:.2f}")
    shutil.copy(training / LOG, place / LOG)
    shutil.rmtree(training)
    anonymizer.save(place)  # config.json is what marks it as whole


def _rounded(line: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in line.items()}
