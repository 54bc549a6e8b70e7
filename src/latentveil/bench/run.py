"""`veil bench` in one call: a recipe, some data, and out come results, kept adapters, a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from latentveil.arguments import argument
from latentveil.bench.actors_data import ACTORS, prepare_actors
from latentveil.bench.data import STORE, BenchData
from latentveil.bench.plot import render_plot
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.readings import Entry
from latentveil.bench.recipe import SEEN_UNSEEN, Recipe, load_recipe
from latentveil.bench.rows import Row
from latentveil.bench.runner import read_results, run_recipe
from latentveil.bench.score_table import render_csv, render_page
from latentveil.bench.scores import Entries
from latentveil.bench.spent import Clock, add_spent
from latentveil.bench.spread import spread_recipe
from latentveil.bench.table import render_results
from latentveil.errors import InputError, UsageError
from latentveil.files.outputs import require_output_folder, write_whole
from latentveil.files.places import local_path
from latentveil.machine.engines import Crew
from latentveil.names import did_you_mean
from latentveil.progress import OnProgress, silent
from latentveil.seeds import require_seed

RESULTS, QUICK_RESULTS = "results.jsonl", "quick.jsonl"
TABLE, CSV, PLOT = "table.md", "table.csv", "table.svg"
QUICK_TABLE, QUICK_CSV, QUICK_PLOT = "quick.md", "quick.csv", "quick.svg"
QUICK_NOTE = (
    "**A quick run: one seed, few attacks, short trainings, few data. It shows that the recipe runs; its numbers are "
    "not those of the table.**"
)
SHARED = "adapters"  # what recipes have trained, in the output folder, by content
DATA = "data"  # the folder of data that were made here, in the output folder


@dataclass(frozen=True)
class BenchRun:
    """What a bench found: an entry for every row and seed, the table in Markdown, and the folder that keeps both.

    ``measured`` is the recipe as it was run: with the chosen rows, and quicker where that was asked.
    """

    recipe: str
    measured: Recipe
    entries: list[Entry]
    table: str
    folder: Path

    num_missing: int = 0  # rows and seeds without an entry: their trainings collapsed

    def to_dict(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "results": self.entries, "missing": self.num_missing}


def run_bench(
    recipe: str,
    *,
    data: str | Path,
    output: str | Path = "runs",
    seeds: int | Sequence[int] = 3,
    only: Sequence[str] = (),
    quick: bool = False,
    crew: Crew | None = None,
    on_progress: OnProgress = silent,
) -> BenchRun:
    """Fit and measure every row of the recipe called ``recipe`` (or in that TOML file) under every seed.

    ``data`` is a folder with `raw.store` and `labels.csv`, or `actors`, which are rendered and encoded first.
    ``output``/<recipe> keeps results, adapters, table, CSV and picture (with the data's name behind it where the recipe
    is for others), a quick run's apart from a whole one's; a run that was stopped goes on. ``seeds`` is their number or
    the seeds themselves, ``only`` names rows instead of all, and ``quick`` takes the first seed, the attacks of the
    curve alone and fewer data. A ``crew`` of workers, which see ``output``, does rows and seeds side by side.
    """
    clock = Clock()
    loaded = load_recipe(recipe)
    chosen = choose_rows(loaded, only)
    numbers = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not numbers:
        raise UsageError("seeds must be one or more, got none.")
    for seed in numbers:
        require_seed(seed)
    require_output_folder(local_path(output, name="output"))
    if quick:
        chosen, numbers = quicker(chosen, named=only), numbers[:1]
    folder = Path(output) / folder_name(Path(recipe).stem, loaded, data)
    needs_data = PROTOCOLS.get(chosen.protocol).needs_data
    found = None
    if needs_data:
        chosen, found = load_data(chosen, data, Path(output), quick=quick, on_progress=on_progress)
    results = folder / (QUICK_RESULTS if quick else RESULTS)
    before = len(read_results(results))
    entries = (run_recipe if crew is None else partial(spread_recipe, crew))(
        chosen,
        found,
        seeds=numbers if needs_data else numbers[:1],
        results=results,
        shared=Path(output) / SHARED,
        on_progress=on_progress,
    )
    table = write_tables(Path(recipe).stem, chosen, entries, folder, quick=quick)
    new = len(read_results(results)) - before
    if new and crew is None:  # a crew's workers have clocks of their own
        add_spent(folder, "quick" if quick else "whole", clock.spent(entries=new))
    wanted = len(chosen.all_rows) * (len(numbers) if needs_data else 1)
    return BenchRun(recipe, chosen, entries, table, folder, num_missing=wanted - len(entries))


def folder_name(name: str, recipe: Recipe, data: str | Path) -> str:
    """The folder of a run: the recipe's name, with the data's behind it where the recipe is for other data."""
    needs_data = PROTOCOLS.get(recipe.protocol).needs_data
    return name if not needs_data or recipe.data in ("", Path(data).name) else f"{name}-{Path(data).name}"


def find_data(
    data: str | Path, output: Path, *, recipe: Recipe, quick: bool, on_progress: OnProgress = silent
) -> Path:
    """The folder of the data; `actors` are made where no folder of that name is, as the recipe needs them."""
    if str(data) != ACTORS or Path(data).is_dir():
        return Path(data)
    place = output / DATA / recipe.actors.folder(quick=quick)
    return prepare_actors(place, recipe.actors, quick=quick, on_progress=on_progress)


def load_data(
    recipe: Recipe, data: str | Path, output: Path, *, quick: bool, on_progress: OnProgress = silent
) -> tuple[Recipe, BenchData | dict[str, BenchData]]:
    """The recipe with the rows whose stores are there, and the data: one, or several by store."""
    protocol = PROTOCOLS.get(recipe.protocol)
    own = protocol.own_data(data, recipe, output=output, quick=quick, on_progress=on_progress)
    if own is not None:
        return recipe, own
    place = find_data(data, output, recipe=recipe, quick=quick, on_progress=on_progress)
    stores = list(dict.fromkeys(row.store for row in recipe.rows))
    there = [store for store in stores if not store or (place / store / STORE).exists()]
    if not there:
        raise InputError(
            f"data must be a folder with one of {', '.join(stores)}, each with a store {STORE}, got none in {place}. "
            "Extract the videos with an encoder that you have."
        )
    rows = tuple(row for row in recipe.rows if row.store in there)
    load = partial(BenchData.load, components=recipe.components, centred=recipe.centred)
    return recipe.model_copy(update={"rows": rows}), {store: load(place / store) for store in there}


def write_tables(
    name: str, recipe: Recipe, entries: Sequence[Entry], folder: Path, *, quick: bool = False
) -> str:
    """The table, also as a file, with CSV and picture beside it; a ``quick`` run has files of its own, and says so."""
    protocol, found = PROTOCOLS.get(recipe.protocol), gather(recipe, entries)
    page, numbers, plot = (QUICK_TABLE, QUICK_CSV, QUICK_PLOT) if quick else (TABLE, CSV, PLOT)
    note = QUICK_NOTE if quick and protocol.needs_data else ""
    table = (
        render_results(recipe, entries, note=note)
        if recipe.protocol == SEEN_UNSEEN
        else render_page(name, recipe, found, protocol, plot=plot, note=note)
    )
    write_whole(folder / page, table)
    write_whole(folder / numbers, render_csv(recipe, found))
    write_whole(folder / plot, protocol.plot(recipe, found) or render_plot(recipe, found))
    return table


def gather(recipe: Recipe, entries: Sequence[Entry]) -> Entries:
    """The scores of the entries that belong to rows of the recipe."""
    keys = {row.key for row in recipe.all_rows}
    wanted = [entry for entry in entries if entry["row"] in keys]
    protocol = PROTOCOLS.get(recipe.protocol)
    return Entries.gather(wanted, [protocol.scores(entry) for entry in wanted])


def quicker(recipe: Recipe, *, named: Sequence[str] = ()) -> Recipe:
    """The recipe with the attacks of the curve alone, without slow rows, and its ``quick`` changes in trained ones.

    Slow rows that were ``named`` stay. The title says that it is quick.
    """

    def shorter(row: Row) -> Row:
        if not row.trained:
            return row
        added = recipe.quick_pixels if row.pixels else recipe.quick
        quick = row.model_copy(update={"changes": (*row.changes, *added)})
        if not row.checkpoints:
            return quick
        epochs = getattr(quick.config(seed=0).settings.train, "epochs", 0)
        return quick.model_copy(update={"checkpoints": tuple(one for one in row.checkpoints if one < epochs)})

    rows = tuple(shorter(row) for row in recipe.rows if row.quick or row.name in named)
    options = {**recipe.options, **recipe.quick_options}
    return recipe.model_copy(
        update={
            "title": f"{recipe.title}, quick run",
            "attacks": recipe.curve_attacks,
            "rows": rows,
            "options": options,
        }
    )


def choose_rows(recipe: Recipe, only: Sequence[str]) -> Recipe:
    """The recipe with the rows named in ``only``, or with all where none is named."""
    known = [row.name for row in recipe.rows]
    for name in only:
        if name not in known:
            raise InputError(
                f"{argument('only')} must name rows of the recipe, got {name!r}. Known: {'; '.join(known)}."
                + did_you_mean(name, known)
            )
    rows = tuple(row for row in recipe.rows if not only or row.name in only)
    return recipe.model_copy(update={"rows": rows})
