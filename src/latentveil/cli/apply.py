"""`veil apply`: anonymized features of a store, as a new store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    adapter: Annotated[Path, typer.Argument(help="Folder (or hub name) of the adapter.")],
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
    from rich.console import Console
    from rich.progress import Progress

    from latentveil.adapters.apply import apply
    from latentveil.store import FeatureStore

    clips = len(FeatureStore(store))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("anonymizing", total=clips)
        manifest = apply(
            adapter,
            store,
            output,
            seed=seed,
            device=device,
            on_shard=lambda rows: progress.advance(bar, rows),
        )
    if as_json:
        print(
            json.dumps(
                {"store": str(output), "videos": manifest.counts.videos, "clips": manifest.counts.clips}
            )
        )
    else:
        print(
            f"{manifest.counts.clips} clips of {manifest.counts.videos} videos -> {output}", file=sys.stderr
        )
