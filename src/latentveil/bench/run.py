"""`veil bench` in one call: a recipe, a folder of data, and out come results, kept adapters and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.bench.readings import Entry
from latentveil.bench.recipe import Recipe, load_recipe
from latentveil.bench.runner import run_recipe
from latentveil.bench.table import render_results
from latentveil.errors import InputError
from latentveil.outputs import require_output_folder, write_whole
from latentveil.progress import OnProgress, silent
from latentveil.seeds import require_seed

RESULTS, QUICK_RESULTS, TABLE = "results.jsonl", "quick.jsonl", "table.md"


@dataclass(frozen=True)
class BenchRun:
    """What a bench found: an entry for every row and seed, the table in Markdown, and the folder that keeps both."""

    recipe: str
    entries: list[Entry]
    table: str
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "results": self.entries}


def run_bench(
    recipe: str,
    *,
    data: str | Path,
    output: str | Path = "runs",
    seeds: int | Sequence[int] = 3,
    only: Sequence[str] = (),
    quick: bool = False,
    on_progress: OnProgress = silent,
) -> BenchRun:
    """Fit and attack every row of the recipe called ``recipe`` (or in that TOML file) under every seed.

    ``data`` is a folder with `raw.store` and `labels.csv`. ``output``/<recipe> keeps results, adapters and the table; a
    run that was stopped goes on. ``seeds`` is their number or the seeds themselves, ``only`` names rows instead of all,
    and ``quick`` takes the first seed and the attacks of the curve alone.
    """
    loaded = load_recipe(recipe)
    chosen = choose_rows(loaded, only)
    numbers = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not numbers:
        raise InputError("seeds must be one or more, got none.")
    for seed in numbers:
        require_seed(seed)
    require_output_folder(output)
    if quick:
        chosen, numbers = chosen.model_copy(update={"attacks": chosen.curve_attacks}), numbers[:1]
    features, labels = load_bench_data(data)
    if loaded.components:
        features = PrincipalComponents.fit(features, labels, loaded.components).apply(features)
    folder = Path(output) / Path(recipe).stem
    entries = run_recipe(
        chosen,
        features,
        labels,
        seeds=numbers,
        results=folder / (QUICK_RESULTS if quick else RESULTS),
        on_progress=on_progress,
    )
    table = render_results(chosen, entries)
    write_whole(folder / TABLE, table)
    return BenchRun(recipe, entries, table, folder)


def choose_rows(recipe: Recipe, only: Sequence[str]) -> Recipe:
    """The recipe with the rows named in ``only``, or with all where none is named."""
    known = [row.name for row in recipe.rows]
    for name in only:
        if name not in known:
            raise InputError(f"only must name rows of the recipe, got {name!r}. Known: {'; '.join(known)}.")
    rows = tuple(row for row in recipe.rows if not only or row.name in only)
    return recipe.model_copy(update={"rows": rows})
