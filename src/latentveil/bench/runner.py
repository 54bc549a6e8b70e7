"""Run a recipe: every row under every seed, results kept line by line so that a stopped run goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from latentveil.attacks import load_attacks
from latentveil.bench.adapters import ADAPTERS, fit_or_load, made_for, training_log
from latentveil.bench.convergence import describe_training
from latentveil.bench.readings import READINGS, Entry, subjects_of
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.seen_unseen import Arena, measure_row, wanted_readings
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.methods.settings import TrainedSettings
from latentveil.progress import OnProgress, Progress, silent
from latentveil.types import FeatureSet

STAGE = "rows of the bench"


def run_recipe(
    recipe: Recipe,
    features: FeatureSet,
    labels: Labels,
    *,
    seeds: Sequence[int],
    results: Path,
    on_progress: OnProgress = silent,
) -> list[Entry]:
    """The measurements of every row and seed; ``results`` is a JSONL file, and what is in it is not done again.

    The adapters are kept in the folder `adapters` beside it.
    """
    results.parent.mkdir(parents=True, exist_ok=True)
    found = read_results(results)
    wanted = {row.key for row in recipe.all_rows}
    done = {(entry["row"], entry["seed"]) for entry in found}
    rows = [(row, seed) for seed in seeds for row in recipe.all_rows]
    arena: Arena | None = None
    for number, (row, seed) in enumerate(rows):
        if arena is None or arena.seed != seed:
            arena = Arena.build(features, labels, recipe, seed=seed)
            for entry in found:
                if entry["seed"] == seed and entry["row"] in wanted:
                    _require_same_protocol(entry, arena, recipe)
        if (row.key, seed) in done:
            continue
        on_progress(Progress(STAGE, number, len(rows), f"{row.name} (seed {seed})"))
        entry = _measure(arena, recipe, row, folder=results.parent / ADAPTERS)
        with open(results, "a") as file:
            file.write(json.dumps(entry) + "\n")
        found.append(entry)
        on_progress(Progress(STAGE, number + 1, len(rows), in_short(entry)))
    return [entry for entry in found if entry["row"] in wanted and entry["seed"] in set(seeds)]


def _measure(arena: Arena, recipe: Recipe, row: Row, *, folder: Path) -> Entry:
    """The entry of one row under the arena's seed; its adapter is kept in ``folder``."""
    adapter = fit_or_load(arena, row, folder=folder)
    entry = measure_row(arena, recipe, row, adapter) | {"made_for": made_for(arena, row)}
    log = training_log(folder, row, seed=arena.seed)
    settings = row.config(seed=arena.seed).settings
    if log and isinstance(settings, TrainedSettings):
        entry["training"] = describe_training(log, settings)
    return entry


def read_results(path: Path) -> list[Entry]:
    """The entries of a results file; none if it is not there."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):  # a run was stopped while it wrote this line
        path.write_text("".join(lines[:-1]))
        lines = lines[:-1]
    return [json.loads(line) for line in lines]


def _require_same_protocol(entry: Entry, arena: Arena, recipe: Recipe) -> None:
    """Refuse to go on from results that were measured otherwise than ``recipe`` says."""
    row = next(row for row in recipe.all_rows if row.key == entry["row"])
    wanted, attacks = wanted_readings(recipe, row)
    names = {attack.name for attack in load_attacks(attacks)}
    same = (
        entry.get("made_for") == made_for(arena, row)
        and READINGS in entry
        and subjects_of(entry) == wanted
        and all(set(reading["attacks"]) == names for reading in entry[READINGS])
    )
    if not same:
        raise InputError(
            f"results must be of this recipe, got row {entry['name']!r} under other settings, features, secrets or "
            "attacks. Give another folder, or move the old results away."
        )


def in_short(entry: Entry) -> str:
    """The first secret and both utilities of an entry, for a line of progress."""
    first = entry[READINGS][0]
    tasks = "  ".join(f"{name} {entry[name]['anonymized']['value']:.3f}" for name in ("seen", "unseen"))
    leak = f"{first['secret']} {first['worst']['anonymized']['value']:.3f}"
    return f"seed {entry['seed']}  {entry['name']}  {leak}  {tasks}"
