"""The adapters of a bench, kept in a folder so that a stopped run does not train again."""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.bench.protocols.base import CORE_SECONDS, Arena
from latentveil.bench.rows import ACTION_ONLY, Row
from latentveil.files.outputs import write_whole

ADAPTERS = "adapters"  # the folder beside a bench's results
LOG = "log.jsonl"
ROUNDED = 1e-4  # of the mean square of features: less is no other data
SPENT = "core_seconds.txt"  # beside the log of a training that goes on: what it took so far


def fit_or_load(arena: Arena, row: Row, *, folder: Path, shared: Path | None = None) -> Adapter:
    """The row's adapter: the one in ``folder`` if it was trained with these settings on these data, else a new one.

    A row goes on from where its last checkpoint row stopped; the log of the training stays beside the adapter. In
    ``shared`` recipes find adapters that others of them have trained, by a hash of the settings and of all that
    training reads.
    """
    trained = row.config(seed=arena.seed).method.trained  # others are made anew: their code may have changed
    recipe = made_for(arena, row)
    place = folder / row.folder(seed=arena.seed)
    if trained and (place / "config.json").is_file():
        adapter = load_adapter(place)
        if made_alike(_without_seconds(adapter), recipe, row):
            return adapter
    place.mkdir(parents=True, exist_ok=True)
    # With other tasks the steps to come change the rate, and a training that was stopped on the way is another one.
    shareable = trained and not row.part_of and not (row.checkpoints and row.tasks != ACTION_ONLY)
    common = shared / content_hash(arena, row) if shared and shareable else None
    # A row with checkpoints goes on from them, so that its seconds are of one training.
    if common and not row.checkpoints and (common / "config.json").is_file():
        adapter = load_adapter(common)
        seconds = adapter.config["recipe"].get(CORE_SECONDS, 0.0)
        if (common / LOG).exists():
            shutil.copy(common / LOG, place / LOG)
    else:
        adapter, seconds = _fit(arena, row, folder=folder, place=place)
    adapter.config["recipe"] = recipe | {CORE_SECONDS: seconds}
    adapter.save_pretrained(place)
    if common and not common.exists():
        _link(place, common)
    return adapter


def _without_seconds(adapter: Adapter) -> dict[str, Any]:
    """What an adapter was made from."""
    return {name: value for name, value in adapter.config["recipe"].items() if name != CORE_SECONDS}


def _fit(arena: Arena, row: Row, *, folder: Path, place: Path) -> tuple[Adapter, float]:
    """A new adapter, its log in ``place``, and the core seconds that it took, those of its checkpoint rows included.

    A row that is not yet whole leaves its training to go on from.
    """
    whole = row.model_copy(update={"name": row.part_of or row.name})
    training = folder / "training" / whole.folder(seed=arena.seed)
    spent = training / SPENT
    before, started = float(spent.read_text()) if spent.is_file() else 0.0, time.process_time()
    adapter = arena.fit(row, folder=training)
    seconds = before + time.process_time() - started
    if (training / LOG).exists():
        shutil.copy(training / LOG, place / LOG)
    if row.part_of:
        write_whole(spent, str(seconds))
    else:
        shutil.rmtree(training, ignore_errors=True)
    return adapter, seconds


def content_hash(arena: Arena, row: Row) -> str:
    """A hash of everything that training reads: method, settings, features, tasks, and what else is kept."""
    plan, data = row.config(seed=arena.seed), arena.training_data(row)
    made_from = json.dumps(
        [plan.to_dict(), list(row.all_tasks), data.fingerprint(), *(["live"] if row.live else [])],
        sort_keys=True,
    )
    return sha256(made_from.encode()).hexdigest()[:24]


def _link(place: Path, common: Path) -> None:
    """The files of ``place`` under another name as well, without a second copy; config.json last, which marks it."""
    partial = common.with_suffix(".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for path in place.iterdir():
        os.link(path, partial / path.name)
    partial.rename(common)


def training_log(folder: Path, row: Row, *, seed: int) -> list[dict[str, float]]:
    """Every loss term of every epoch of a row's adapter in ``folder``; empty for one that was not trained."""
    path = folder / row.folder(seed=seed) / LOG
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def made_for(arena: Arena, row: Row) -> dict[str, Any]:
    """What an adapter is made from, for its config.json and for the results that it gives."""
    made, feature = row.recipe(seed=arena.seed), arena.features.feature
    return {
        "row": row.name,
        "method": made["method"],
        "tasks": list(row.tasks),
        **arena.cut,
        "data": {
            "shape": list(feature.shape),
            "mean_square": f"{np.square(feature, dtype=np.float64).mean():.5g}" if len(feature) else "",
        },
        "settings": made["settings"],
    }


def made_alike(kept: Mapping[str, Any], wanted: Mapping[str, Any], row: Row) -> bool:
    """Whether what was ``kept`` of ``row`` was made as is ``wanted``; settings added since count as their defaults."""
    if not isinstance(kept.get("settings"), Mapping):
        return False
    try:
        settings = row.settings(seed=0).model_validate(kept["settings"]).model_dump(mode="json")
    except ValueError:  # a setting that is gone, or a value that is now refused
        return False
    return {**kept, "settings": settings, "data": None} == {**wanted, "data": None} and _read_alike(
        kept.get("data"), wanted["data"]
    )


def _read_alike(kept: object, wanted: Mapping[str, Any]) -> bool:
    """Whether both are of the same data: drawn and encoded on two machines, they differ by rounding."""
    if not isinstance(kept, Mapping) or kept.get("shape") != wanted["shape"]:
        return False
    if kept.get("mean_square") == wanted["mean_square"]:
        return True
    try:
        return math.isclose(float(kept["mean_square"]), float(wanted["mean_square"]), rel_tol=ROUNDED)
    except (KeyError, TypeError, ValueError):  # of no rows, or no number
        return False
