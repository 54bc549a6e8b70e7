"""The anonymizer of a row of the protocol `pixels`: found where it was trained before, or else made now."""

from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from latentveil.bench.convergence import TOLERANCE, drift_of
from latentveil.bench.rows import Row
from latentveil.config import Settings, change_settings
from latentveil.errors import Notice
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS, PixelMethod, TrainingVideos
from latentveil.pixels.fit import record_recipe
from latentveil.progress import OnProgress, silent

LOG, NOTICES, TRAINING = "log.jsonl", "notices.json", "training"
TERMS = ("task", "budget", "penalty", "confusion", "triplet", "tubelets")  # what players minimise or raise


@dataclass(frozen=True)
class Made:
    """An anonymizer, its training log (empty for one that learned nothing), and what was said while it trained."""

    anonymizer: PixelAnonymizer
    log: list[dict[str, float]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    place: Path | None = None

    def training(self) -> dict[str, Any] | None:
        """The terms in the first and the last epoch, and whether the last fifth of the epochs still moved them."""
        if not self.log:
            return None
        names = [name for name in TERMS if name in self.log[0]]
        still = drift_of([[line[name] for name in names] for line in self.log])
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
    boxes = f"detector_options.file={folder / 'boxes.csv'}"
    return change_settings(settings, [boxes], owner=f"the row {row.name}")


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
        return Made(method.fit(videos, settings))
    place = shared / f"pixels-{content_hash(method, videos, settings)}"
    if not (place / "config.json").is_file():
        _fit(method, videos, settings, place=place, on_progress=on_progress)
    log = [json.loads(line) for line in (place / LOG).read_text().splitlines()]
    notices = json.loads((place / NOTICES).read_text())
    return Made(PixelAnonymizer.from_pretrained(str(place)), log, notices, place)


def content_hash(method: PixelMethod, videos: TrainingVideos, settings: Settings) -> str:
    """A hash of method, settings and videos."""
    made_from = [method.name, settings.model_dump(mode="json"), videos.fingerprint()]
    return sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:24]


def _fit(
    method: PixelMethod, videos: TrainingVideos, settings: Settings, *, place: Path, on_progress: OnProgress
) -> None:
    training = place / TRAINING
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        anonymizer = method.fit(videos, settings, folder=training, on_progress=on_progress)
    record_recipe(anonymizer, method, settings, tasks=videos.tasks)
    said = [str(notice.message) for notice in told if issubclass(notice.category, Notice)]
    (place / NOTICES).write_text(json.dumps(said))
    shutil.copy(training / LOG, place / LOG)
    shutil.rmtree(training)
    anonymizer.save(place)  # config.json is what marks it as whole


def _rounded(line: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in line.items()}
