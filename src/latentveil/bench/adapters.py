"""The adapters of a bench, kept in a folder: a stopped run does not train again, and other programs can attack them."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.bench.protocols.base import Arena
from latentveil.bench.rows import Row
from latentveil.errors import InputError

ADAPTERS = "adapters"  # the folder beside a bench's results
LOG = "log.jsonl"


@dataclass(frozen=True)
class KeptAdapter:
    """An adapter that a bench has fitted: the name of its row, the seed, and its folder for ``load_adapter``."""

    row: str
    seed: int
    path: Path


def kept_adapters(folder: Path) -> list[KeptAdapter]:
    """The adapters in ``folder`` (a bench's `<output>/<recipe>/adapters`), by row and seed."""
    if not folder.is_dir():
        raise InputError(
            f"{folder} must be the folder `adapters` of a bench, got none. Run `veil bench` first."
        )
    found = []
    for path in folder.glob("*/config.json"):
        recipe = json.loads(path.read_text())["recipe"]
        found.append(KeptAdapter(recipe["row"], recipe["settings"]["train"]["seed"], path.parent))
    return sorted(found, key=lambda kept: (kept.row, kept.seed))


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
        if adapter.config["recipe"] == recipe:
            return adapter
    place.mkdir(parents=True, exist_ok=True)
    common = shared / content_hash(arena, row) if shared and trained and not row.checkpoints else None
    if common and (common / "config.json").is_file():
        adapter = load_adapter(common)
        if (common / LOG).exists():
            shutil.copy(common / LOG, place / LOG)
    else:
        adapter = _fit(arena, row, folder=folder, place=place)
    adapter.config["recipe"] = recipe
    adapter.save_pretrained(place)
    if common and not common.exists():
        _link(place, common)
    return adapter


def _fit(arena: Arena, row: Row, *, folder: Path, place: Path) -> Adapter:
    """A new adapter, its log in ``place``; a row that is not yet whole leaves its training to go on from."""
    whole = row.model_copy(update={"name": row.part_of or row.name})
    training = folder / "training" / whole.folder(seed=arena.seed)
    adapter = arena.fit(row, folder=training)
    if (training / LOG).exists():
        shutil.copy(training / LOG, place / LOG)
    if not row.part_of:
        shutil.rmtree(training, ignore_errors=True)
    return adapter


def content_hash(arena: Arena, row: Row) -> str:
    """A hash of everything that training reads: method, settings, features, tasks and what is kept besides."""
    plan, data = row.config(seed=arena.seed), arena.training_data(row)
    made_from = json.dumps([plan.to_dict(), list(row.all_tasks), data.fingerprint()], sort_keys=True)
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
            "mean_square": f"{np.square(feature, dtype=np.float64).mean():.5g}",
        },
        "settings": made["settings"],
    }
