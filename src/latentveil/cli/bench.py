"""`veil bench`: a table of methods, reproduced from a recipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    recipe: Annotated[
        str,
        typer.Argument(help="A recipe that comes with latentveil (real, motion, table5), or a TOML file."),
    ],
    data: Annotated[Path, typer.Option(help="Folder with a store `raw.store` and `labels.csv`.")],
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
    quick: Annotated[bool, typer.Option("--quick", help="One seed, the curve's attacks only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
) -> None:
    """Fit and attack every method of a recipe, with several seeds, and print the table.

    A run that was stopped goes on where it was.
    """
    from latentveil.bench.run import run_bench
    from latentveil.progress import shown

    with shown() as on_progress:
        found = run_bench(
            recipe,
            data=data,
            output=output,
            seeds=seeds if seed is None else [seed],
            only=[name.strip() for name in only.split(";") if name.strip()],
            quick=quick,
            on_progress=on_progress,
        )
    print(f"{len(found.entries)} rows and seeds; results and table in {found.folder}.", file=sys.stderr)
    print(json.dumps(found.to_dict()) if as_json else found.table)
