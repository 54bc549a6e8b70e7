"""One cell of the experiment: an arm, a space and a seed; in what order they run, and how one is measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.published.arms import ARMS, RANDOM, RAW
from benchmarks.published.data import Strangers, Videos
from benchmarks.published.faces import FACES
from benchmarks.published.grade import grade
from benchmarks.published.measured import told
from benchmarks.published.train import Trained, apply_adapter, relative_change, train_adapter
from latentveil.errors import InputError

UNCENTRED, CENTRED, NARROW = "uncentred", "centred", "uncentred, 256 directions"
NARROW_DIRECTIONS = 256
SEEDS = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class Cell:
    """What is trained and graded: ``source`` names the videos of the training."""

    source: str
    space: str
    arm: str
    seed: int

    @property
    def key(self) -> str:
        return f"{self.source}-{self.space}-{self.arm}-{self.seed}".replace(",", "").replace(" ", "-")


@dataclass(frozen=True, eq=False)
class Material:
    """Everything a cell is measured on, uncentred."""

    train: Videos
    held_out: Videos
    graded: Sequence[Strangers]

    def in_space(self, space: str) -> Material:
        """The same rows, moved to the mean of the training rows, or turned to their main directions uncentred."""
        if space == UNCENTRED:
            return self
        rows = np.concatenate([self.train.clips, self.train.stills], axis=1).astype(np.float64)
        rows = rows.reshape(-1, rows.shape[-1])  # (V * T, D)
        if space == CENTRED:
            mean = rows.mean(axis=0).astype(np.float32)
            return self._changed(lambda feature: feature - mean)
        axes = np.linalg.eigh(rows.T @ rows)[1][:, : -NARROW_DIRECTIONS - 1 : -1].astype(np.float32)
        return self._changed(lambda feature: feature @ axes)

    def _changed(self, change: Callable[[np.ndarray], np.ndarray]) -> Material:
        graded = [replace(people, feature=change(people.feature)) for people in self.graded]
        return Material(self.train.changed(change), self.held_out.changed(change), graded)


def planned(source: str, seeds: Sequence[int]) -> list[Cell]:
    """All cells, those that decide first: a run that is stopped early has said what it could.

    Pairs of faces are another look at the same question: of them the arms that decide alone.
    """
    first, rest = seeds[0], seeds[1:]
    controls = [name for name in ARMS if name != "released"]

    def cells(space: str, arms: Iterable[str], seed: int) -> list[Cell]:
        return [Cell(source, space, arm, seed) for arm in arms]

    decides = (RAW, "released", RANDOM)
    if source == FACES:
        order = [cell for seed in seeds for cell in cells(UNCENTRED, decides, seed)]
        return order + cells(NARROW, decides, first)
    order = cells(UNCENTRED, (*decides, "budget off"), first)
    for seed in rest:
        order += cells(UNCENTRED, decides, seed)
    order += cells(UNCENTRED, controls, first) + cells(CENTRED, decides, first)
    order += cells(NARROW, (*decides, *controls), first)
    for seed in rest:
        order += cells(UNCENTRED, controls, seed) + cells(CENTRED, decides, seed)
    return list(dict.fromkeys(order))


def measure(
    cell: Cell,
    material: Material,
    *,
    steps: int,
    attacks: tuple[str, ...],
    folder: Path,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Train and grade one cell; ``folder`` keeps how far each still moved, which the arm `random` needs."""
    started, core_started = time.perf_counter(), time.process_time()
    full_width = material.train.clips.shape[-1]
    material = material.in_space(cell.space)
    trained = None
    if cell.arm in ARMS:
        trained = train_adapter(
            material.train, ARMS[cell.arm], seed=cell.seed, steps=steps, full_width=full_width, say=say
        )
    entry: dict[str, Any] = {"cell": asdict(cell), "steps": steps, "graded": {}}
    if trained is not None:
        entry |= {"first": trained.first, "last": trained.last, "moved": _moved(trained, material, cell.seed)}
    entry["train_seconds"] = time.perf_counter() - started
    for people in material.graded:
        shown = _shown(cell, trained, people, folder)
        if cell.arm == "released":
            folder.mkdir(parents=True, exist_ok=True)
            np.save(_lengths_file(folder, cell, people), np.linalg.norm(shown - people.feature, axis=1))
        adapter = trained.adapter if trained else None
        found = grade(people, shown, seed=cell.seed, attacks=attacks, adapter=adapter)
        entry["graded"][people.name] = {"moved": relative_change(people.feature, shown)} | told(found)
        say(f"{cell.key} on {people.name}: {entry['graded'][people.name]['average_precision']}")
    return entry | {
        "seconds": time.perf_counter() - started,
        "core_seconds": time.process_time() - core_started,
    }


def _shown(cell: Cell, trained: Trained | None, people: Strangers, folder: Path) -> np.ndarray:
    """The published features (N, D) of these stills."""
    if trained is not None:
        return apply_adapter(trained.adapter, people.feature, seed=cell.seed)
    if cell.arm == RAW:
        return people.feature
    file = _lengths_file(folder, cell, people)
    if not file.is_file():
        raise InputError(
            f"{file} must hold how far each still moved, got no such file. Measure 'released' of the same "
            "space and seed in this folder first."
        )
    length = np.load(file)
    direction = np.random.default_rng(cell.seed).standard_normal(people.feature.shape).astype(np.float32)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return people.feature + direction * length[:, None].astype(np.float32)


def _lengths_file(folder: Path, cell: Cell, people: Strangers) -> Path:
    return folder / f"{replace(cell, arm='released').key}-{people.name}-lengths.npy"


def _moved(trained: Trained, material: Material, seed: int) -> dict[str, float]:
    """The mean relative change of stills and clips, of training videos and of held-out ones."""
    rows = {
        f"{part} {kind}": getattr(videos, kind)[:, 0]
        for part, videos in (("training", material.train), ("held-out", material.held_out))
        for kind in ("stills", "clips")
    }
    return {
        name: relative_change(part, apply_adapter(trained.adapter, part, seed=seed))
        for name, part in rows.items()
    }
