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
    engine: Annotated[str, typer.Option(help="local, or ray for a cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Of the Ray cluster, e.g. auto; this machine by default.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Workers of the cluster; all it has by default.")
    ] = None,
    worker_gpus: Annotated[
        float, typer.Option(help="Graphics cards, or a part of one, for each worker of the cluster.")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Anonymize every feature of a store; a run that was stopped continues where it was."""
    import latentveil as lv

    made = lv.apply(
        adapter, store, output, seed=seed, device=device,
        engine=engine, address=address, workers=workers, worker_gpus=worker_gpus,
    )  # fmt: skip
    counts = made.manifest.counts
    if as_json:
        print(json.dumps({"store": str(output), "videos": counts.videos, "clips": counts.clips}))
    else:
        print(f"{counts.clips} clips of {counts.videos} videos -> {output}", file=sys.stderr)
