"""`veil bench`: a table of methods, reproduced from a recipe."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    recipe: Annotated[
        str, typer.Argument(help="A recipe that comes with latentveil (real), or a TOML file.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with a store `raw.store` and `labels.csv`; the real data of LATENTVEIL_DATA if not given."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for results.jsonl and the table.")] = Path("runs"),
    seeds: Annotated[int, typer.Option(help="How many seeds.")] = 3,
    seed: Annotated[int | None, typer.Option(help="This one seed instead of several.")] = None,
    only: Annotated[
        str, typer.Option(help="Rows to run, by name, separated by semicolons; all by default.")
    ] = "",
    quick: Annotated[bool, typer.Option("--quick", help="One seed, the curve's attacks only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
) -> None:
    """Fit and attack every method of a recipe, with several seeds, and write the table.

    A run that was stopped goes on where it was.
    """
    from latentveil.bench.data import load_bench_data, principal_components
    from latentveil.bench.recipe import load_recipe
    from latentveil.bench.runner import run_recipe
    from latentveil.bench.table import render_results
    from latentveil.errors import InputError

    loaded = load_recipe(recipe)
    chosen = loaded
    if quick:
        chosen = chosen.model_copy(update={"attacks": chosen.curve_attacks})
    if only:
        names = {name.strip() for name in only.split(";")}
        unknown = names - {row.name for row in chosen.rows}
        if unknown:
            known = "; ".join(row.name for row in chosen.rows)
            raise InputError(
                f"--only must name rows of the recipe, got {sorted(unknown)[0]!r}. Known: {known}."
            )
        chosen = chosen.model_copy(update={"rows": tuple(row for row in chosen.rows if row.name in names)})
    folder = out / Path(recipe).stem
    features, labels = load_bench_data(data or os.environ.get("LATENTVEIL_DATA"), cache=folder)
    if loaded.components:
        features = principal_components(features, labels, loaded.components)
    entries = run_recipe(
        chosen,
        features,
        labels,
        seeds=[seed] if seed is not None else range(1 if quick else seeds),
        results=folder / ("quick.jsonl" if quick else "results.jsonl"),
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    table = render_results(chosen, entries)
    (folder / "table.md").write_text(table)
    print(json.dumps({"recipe": recipe, "results": entries}) if as_json else table)
