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
        str,
        typer.Argument(
            help="A recipe that comes with latentveil (real, motion, faces, table5), or a TOML file."
        ),
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
    from latentveil.bench.data import PrincipalComponents, load_bench_data
    from latentveil.bench.faces import SIGNERS, run_faces
    from latentveil.bench.faces_page import render_faces
    from latentveil.bench.recipe import load_recipe
    from latentveil.bench.runner import run_recipe
    from latentveil.bench.table import render_results
    from latentveil.errors import InputError

    on_faces = recipe == "faces"  # the adapters of another recipe, graded on other people
    loaded = load_recipe(SIGNERS if on_faces else recipe)
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
    folder, source = out / Path(recipe).stem, data or os.environ.get("LATENTVEIL_DATA")
    chosen_seeds = [seed] if seed is not None else list(range(1 if quick else seeds))

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if on_faces:
        entries, about = run_faces(chosen, data=source, out=out, seeds=chosen_seeds, quick=quick, say=say)
        table = render_faces(chosen, entries, about)
    else:
        features, labels = load_bench_data(source, cache=folder)
        if loaded.components:
            features = PrincipalComponents.fit(features, labels, loaded.components).apply(features)
        results = folder / ("quick.jsonl" if quick else "results.jsonl")
        entries = run_recipe(chosen, features, labels, seeds=chosen_seeds, results=results, say=say)
        table = render_results(chosen, entries)
    (folder / "table.md").write_text(table)
    print(json.dumps({"recipe": recipe, "results": entries}) if as_json else table)
