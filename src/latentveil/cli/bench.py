"""`veil bench`: a table of methods, reproduced from a recipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.cli.engine_options import EngineAddress, EngineName, EngineWorkers
from latentveil.cli.statuses import SOME_FAILED


def command(
    recipe: Annotated[
        str,
        typer.Argument(
            help="A recipe that comes with latentveil (table1, table2, …), a TOML file, all recipes for the data, or "
            "real, which is all recipes for the sets that are prepared in the folder."
        ),
    ],
    data: Annotated[
        str,
        typer.Option(
            help="Folder with a store `raw.store` and `labels.csv`, or actors, which are made and encoded first; for "
            "real a folder of such folders."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder that gets a folder of the recipe's name for the results."
        ),
    ] = Path("runs"),
    seeds: Annotated[int, typer.Option(help="How many seeds.")] = 3,
    seed: Annotated[int | None, typer.Option(help="This one seed instead of several.")] = None,
    only: Annotated[
        str, typer.Option(help="Rows to run, by name, separated by semicolons; all by default.")
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, few attacks, short trainings, few actors.")
    ] = False,
    engine: EngineName = "local",
    address: EngineAddress = None,
    workers: EngineWorkers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
) -> None:
    """Fit and measure every method of a recipe, with several seeds, and print the table.

    A run that was stopped goes on where it was. Rows whose training collapses are left out, and the status is then 3.
    The output folder also gets the table as CSV and as a picture. The engine ray does rows and seeds side by side on a
    cluster, which must see that folder.
    """
    from latentveil.bench.all import ALL, REAL, render_verdicts, run_all
    from latentveil.bench.run import run_bench
    from latentveil.errors import UsageError
    from latentveil.machine.engines import find_crew
    from latentveil.progress import shown

    crew = find_crew(engine, address=address, workers=workers)
    chosen_seeds = seeds if seed is None else [seed]
    rows = [name.strip() for name in only.split(";") if name.strip()]
    if recipe in (ALL, REAL):
        if rows:
            raise UsageError(f"--only must be left out for {recipe} recipes, got {only!r}. Name one recipe.")
        with shown() as on_progress:
            runs = run_all(
                recipe,
                data=data,
                output=output,
                seeds=chosen_seeds,
                quick=quick,
                crew=crew,
                on_progress=on_progress,
            )
        print(f"{len(runs)} recipes; results and tables in {output}.", file=sys.stderr)
        print(json.dumps([run.to_dict() for run in runs]) if as_json else render_verdicts(runs))
        if any(run.num_missing for run in runs):
            raise typer.Exit(SOME_FAILED)
        return
    with shown() as on_progress:
        found = run_bench(
            recipe,
            data=data,
            output=output,
            seeds=chosen_seeds,
            only=rows,
            quick=quick,
            crew=crew,
            on_progress=on_progress,
        )
    print(f"{len(found.entries)} rows and seeds; results and table in {found.folder}.", file=sys.stderr)
    print(json.dumps(found.to_dict()) if as_json else found.table)
    if found.num_missing:
        raise typer.Exit(SOME_FAILED)
