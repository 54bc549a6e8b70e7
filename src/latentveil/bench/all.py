"""`veil bench all` and `veil bench real`: every recipe for some data, and the verdicts at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latentveil.bench.actors_data import ACTORS
from latentveil.bench.data import STORE
from latentveil.bench.recipe import known_recipes, load_recipe
from latentveil.bench.run import BenchRun, gather, run_bench
from latentveil.bench.score_table import verdicts
from latentveil.errors import InputError, UsageError
from latentveil.machine.engines import Crew
from latentveil.progress import OnProgress, silent

ALL, REAL = "all", "real"
NO_DATA = "none"  # the data of a recipe that computes its table


def recipes_for(data: str | Path) -> list[str]:
    """The recipes that come with latentveil for data of this name, and those that need none."""
    name = Path(data).name
    wanted = {recipe: load_recipe(recipe).data for recipe in known_recipes()}
    found = [recipe for recipe, its_data in wanted.items() if its_data in (name, NO_DATA)]
    if name not in wanted.values():
        known = sorted(set(wanted.values()) - {"", NO_DATA})
        raise UsageError(f"data must be one of {', '.join(known)} for all recipes, got {name!r}.")
    return found


def recipes_within(folder: str | Path) -> list[tuple[str, Path]]:
    """The recipes for the sets that are prepared in a folder, a sub-folder each, with the data of each."""
    wanted = {recipe: load_recipe(recipe).data for recipe in known_recipes()}
    found = [
        (recipe, Path(folder) / data)
        for recipe, data in wanted.items()
        if data and (Path(folder) / data / STORE).exists()
    ]
    if not found:
        known = sorted(set(wanted.values()) - {"", NO_DATA, ACTORS})
        raise InputError(
            f"data must be a folder with a sub-folder of one of the sets {', '.join(known)}, got {str(folder)!r}. "
            f"Each holds {STORE} and labels.csv."
        )
    return found


def run_all(
    which: str = ALL,
    *,
    data: str | Path,
    output: str | Path = "runs",
    seeds: int | Sequence[int] = 3,
    quick: bool = False,
    crew: Crew | None = None,
    on_progress: OnProgress = silent,
) -> list[BenchRun]:
    """Run every recipe for ``data``, or with ``REAL`` for the sets within it; what one has trained another finds."""
    planned = recipes_within(data) if which == REAL else [(name, data) for name in recipes_for(data)]
    return [
        run_bench(
            name, data=its_data, output=output, seeds=seeds, quick=quick, crew=crew, on_progress=on_progress
        )
        for name, its_data in planned
    ]


def render_verdicts(runs: Sequence[BenchRun]) -> str:
    """The claims of all recipes with their verdicts, as a table in Markdown."""
    lines = ["| claim | of | verdict | numbers |", "|---|---|---|---|"]
    for run in runs:
        for text, source, verdict in verdicts(run.measured, gather(run.measured, run.entries)):
            lines.append(f"| {text} | {source} | **{verdict.verdict}** | {verdict.in_short()} |")
    return "\n".join(lines) + "\n"
