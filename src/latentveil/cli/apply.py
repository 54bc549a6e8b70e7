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
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Anonymize every feature of a store; a run that was stopped continues where it was."""
    import latentveil as lv

    counts = lv.apply(adapter, store, output, seed=seed, device=device).manifest.counts
    if as_json:
        print(json.dumps({"store": str(output), "videos": counts.videos, "clips": counts.clips}))
    else:
        print(f"{counts.clips} clips of {counts.videos} videos -> {output}", file=sys.stderr)
