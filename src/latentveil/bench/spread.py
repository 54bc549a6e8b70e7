"""A bench on the workers of an engine: one row under one seed, with its checkpoints, is a task."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.data import BenchData
from latentveil.bench.readings import Entry
from latentveil.bench.recipe import Recipe
from latentveil.bench.rows import Row
from latentveil.bench.runner import STAGE, read_results, run_recipe
from latentveil.errors import InputError
from latentveil.files.outputs import write_whole
from latentveil.machine.engines import Crew
from latentveil.progress import OnProgress, Progress, silent

AnyData = BenchData | Mapping[str, BenchData] | None  # as run_recipe takes it


@dataclass(frozen=True)
class Cell:
    """One row under one seed."""

    row: Row
    seed: int


@dataclass(frozen=True, eq=False)
class CellWork:
    """What a worker holds: the recipe, the data, and where results and adapters are kept."""

    recipe: Recipe
    data: AnyData
    results: Path
    shared: Path | None

    def begin(self) -> Callable[[Cell], list[Entry]]:
        return self.measure

    def measure(self, cell: Cell) -> list[Entry]:
        """The entries of the cell; a worker that takes over from a dead one goes on from what that one has written."""
        recipe = self.recipe.model_copy(update={"rows": (cell.row,)})
        part = self.part_of(cell)
        return run_recipe(recipe, self.data, seeds=[cell.seed], results=part, shared=self.shared)

    def part_of(self, cell: Cell) -> Path:
        """The file of a cell's entries, until all results are in one."""
        name = hashlib.sha256(f"{cell.row.key} {cell.seed}".encode()).hexdigest()[:16]
        return self.results.with_name(f"{self.results.stem}-{name}.part")


def spread_recipe(
    crew: Crew,
    recipe: Recipe,
    data: AnyData,
    *,
    seeds: Sequence[int],
    results: Path,
    shared: Path | None = None,
    on_progress: OnProgress = silent,
) -> list[Entry]:
    """As ``run_recipe`` does it, with rows and seeds side by side on a ``crew``; ``results`` has the same lines.

    All machines must see the folder of ``results`` and ``shared``.
    """
    results.parent.mkdir(parents=True, exist_ok=True)
    found = read_results(results)
    known = {(entry["row"], entry["seed"]) for entry in found}
    cells = [Cell(row, seed) for seed in seeds for row in recipe.rows]
    todo = [cell for cell in cells if not {(one.key, cell.seed) for one in rows_of(cell.row)} <= known]
    work = CellWork(recipe, data, results.resolve(), None if shared is None else shared.resolve())
    total, left = len(cells), len(todo)
    on_progress(Progress(STAGE, total - left, total))
    with closing(crew.map(work.begin, todo)) as outcomes:
        for outcome in outcomes:
            cell = outcome.task
            if outcome.result is None:
                raise InputError(
                    f"row {cell.row.name!r} (seed {cell.seed}) must be measured, got none: {outcome.lost}."
                )
            added = [entry for entry in outcome.result if (entry["row"], entry["seed"]) not in known]
            with open(results, "a") as file:
                file.writelines(json.dumps(entry) + "\n" for entry in added)
            found += added
            work.part_of(cell).unlink(missing_ok=True)
            left -= 1
            on_progress(Progress(STAGE, total - left, total, f"{cell.row.name} (seed {cell.seed})"))
    _write_in_order(found, recipe, seeds, results)
    return run_recipe(recipe, data, seeds=seeds, results=results, shared=shared)


def rows_of(row: Row) -> list[Row]:
    """A row and its checkpoints, each a row of its own."""
    return [*(row.after(epochs) for epochs in row.checkpoints), row]


def _write_in_order(found: list[Entry], recipe: Recipe, seeds: Sequence[int], results: Path) -> None:
    """The results in the order in which one machine would have measured them; older lines come first."""
    order = [(row.key, seed) for seed in seeds for row in recipe.all_rows]
    place = {key: number for number, key in enumerate(order)}
    found.sort(key=lambda entry: place.get((entry["row"], entry["seed"]), -1))
    write_whole(results, "".join(json.dumps(entry) + "\n" for entry in found))
