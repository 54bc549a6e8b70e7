"""Run a recipe: every row under every seed, results kept line by line so that a stopped run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from latentveil.bench.adapters import ADAPTERS, fit_or_load, made_alike, made_for, training_log
from latentveil.bench.convergence import describe_training
from latentveil.bench.data import BenchData
from latentveil.bench.protocols import PROTOCOLS, Arena, BenchProtocol
from latentveil.bench.readings import Entry
from latentveil.bench.recipe import Recipe
from latentveil.bench.rows import Row
from latentveil.errors import CollapsedTrainingError, InputError
from latentveil.files.outputs import write_whole
from latentveil.files.place_files import remove_halves
from latentveil.methods.settings import TrainedSettings
from latentveil.notices import notify
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.one_run import one_run_in

STAGE = "rows of the bench"


def _alone_in_its_folder(run: Callable[..., list[Entry]]) -> Callable[..., list[Entry]]:
    """The same run, which refuses a folder that another one is writing: rows would be in its results twice."""

    @wraps(run)
    def alone(*arguments: Any, results: Path, **options: Any) -> list[Entry]:
        with one_run_in(results.parent):
            remove_halves(results.parent)
            return run(*arguments, results=results, **options)

    return alone


@_alone_in_its_folder
def run_recipe(
    recipe: Recipe,
    data: BenchData | Mapping[str, BenchData] | None,
    *,
    seeds: Sequence[int],
    results: Path,
    shared: Path | None = None,
    on_progress: OnProgress = silent,
) -> list[Entry]:
    """The measurements of every row and seed; ``results`` is a JSONL file, and what is in it is not done again.

    ``data`` may be several, by the ``store`` of the rows that they are for, and None for what is computed without any.
    The adapters are kept in the folder `adapters` beside it, and found in ``shared`` where another recipe made them.
    A row whose training collapses is said and left out, and the others go on.
    """
    protocol = PROTOCOLS.get(recipe.protocol)
    results.parent.mkdir(parents=True, exist_ok=True)
    found = read_results(results)
    wanted = {row.key for row in recipe.all_rows}
    done = {(entry["row"], entry["seed"]) for entry in found}
    rows = [(row, seed) for seed in seeds for row in sorted(recipe.all_rows, key=lambda row: row.store)]
    arena, built_for = None, None
    for number, (row, seed) in enumerate(rows):
        if arena is None or built_for != (row.store, seed):
            there = data[row.store] if isinstance(data, Mapping) else data
            arena, built_for = protocol.build(there, recipe, seed=seed), (row.store, seed)
            same = {one.key for one in recipe.all_rows if one.store == row.store}
            for entry in found:
                if entry["seed"] == seed and entry["row"] in same:
                    _require_same(entry, arena, recipe, protocol)
        if (row.key, seed) in done:
            continue
        on_progress(Progress(STAGE, number, len(rows), f"{row.name} (seed {seed})"))
        try:
            entry = _measure(arena, recipe, row, folder=results.parent / ADAPTERS, shared=shared)
        except CollapsedTrainingError as error:
            notify(f"The row {row.name!r} collapsed under seed {seed} and is left out: {error}")
            continue
        with open(results, "a") as file:
            file.write(json.dumps(entry) + "\n")
        found.append(entry)
        on_progress(Progress(STAGE, number + 1, len(rows), in_short(entry, protocol)))
    return [entry for entry in found if entry["row"] in wanted and entry["seed"] in set(seeds)]


def _measure(arena: Arena, recipe: Recipe, row: Row, *, folder: Path, shared: Path | None) -> Entry:
    """The entry of one row under the arena's seed; its adapter is kept in ``folder``."""
    if row.pixels:
        entry = arena.measure_pixels(recipe, row, shared=shared or folder)
        return entry | {"made_for": made_for(arena, row)}
    if PROTOCOLS.get(recipe.protocol).needs_data:
        adapter = fit_or_load(arena, row, folder=folder, shared=shared)
    else:
        adapter = arena.fit(row)
    entry = arena.measure(recipe, row, adapter) | {"made_for": made_for(arena, row)}
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
        write_whole(path, "".join(lines[:-1]))
        lines = lines[:-1]
    return [json.loads(line) for line in lines]


def _require_same(entry: Entry, arena: Arena, recipe: Recipe, protocol: BenchProtocol) -> None:
    """Refuse to go on from results that were measured otherwise than ``recipe`` says."""
    row = next(row for row in recipe.all_rows if row.key == entry["row"])
    alike = made_alike(entry.get("made_for", {}), made_for(arena, row), row)
    if not alike or not protocol.is_current(entry, recipe, row):
        raise InputError(
            f"results must be of this recipe, got row {entry['name']!r} under other settings, features, secrets or "
            "attacks. Give another folder, or move the old results away."
        )


def in_short(entry: Entry, protocol: BenchProtocol) -> str:
    """Every score of an entry, for a line of progress."""
    found = "  ".join(f"{column} {score.value:.3f}" for column, score in protocol.scores(entry).items())
    return f"seed {entry['seed']}  {entry['name']}  {found}"
