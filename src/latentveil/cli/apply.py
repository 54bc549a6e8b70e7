"""`veil apply`: anonymized features of a store, as a new store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    adapter: Annotated[str, typer.Argument(help="Folder (or hub name) of the adapter.")],
    store: Annotated[Path, typer.Argument(help="Store with raw features.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the anonymized store.")],
    seed: Annotated[
        int | None,
        typer.Option(help="Makes the noise repeatable. Keep it secret, or leave it out (fresh noise)."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Once the store is complete, destroy what the adapter's folder holds of single groups of videos "
            "(method transport): nobody can undo the release with it.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Anonymize every feature of a store; a run that was stopped continues where it was."""
    import latentveil as lv

    counts = lv.apply(adapter, store, output, seed=seed, device=device, forget=forget).manifest.counts
    if as_json:
        print(json.dumps({"store": str(output), "videos": counts.videos, "clips": counts.clips}))
    else:
        told = f" The key in {adapter} is destroyed." if forget else ""
        print(f"{counts.clips} clips of {counts.videos} videos -> {output}.{told}", file=sys.stderr)
