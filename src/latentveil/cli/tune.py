"""`veil tune`: settings tried on validation videos, and an adapter with the best of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.cli.engine_options import EngineAddress, EngineName, EngineWorkers
from latentveil.cli.words import names_in


def command(
    store: Annotated[Path, typer.Argument(help="Store with raw features, static clips included.")],
    labels: Annotated[
        Path, typer.Option(help="Labels CSV with videos to train on and to validate on, secrets and tasks.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder for tune.json, tune.md and the adapter; a stopped run goes on."
        ),
    ],
    keep: Annotated[float, typer.Option(help="The share of every task that must be kept, at most 1.")] = 0.95,
    dials: Annotated[
        list[str] | None,
        typer.Option(
            "--dial",
            help="A setting and the values to try, as erasure.noise=0.3,1. May be repeated; every combination is "
            "tried. The method names some itself.",
        ),
    ] = None,
    tasks: Annotated[
        str, typer.Option(help="What the adapter must keep: action,detection,anomaly,motion or some of them.")
    ] = "action",
    preset: Annotated[str | None, typer.Option(help="veil (ours, the default), paper or released.")] = None,
    method: Annotated[str | None, typer.Option(help="A method instead of a preset.")] = None,
    secrets: Annotated[
        str, typer.Option(help="Secrets to hide, as gender,identity; all in the labels by default.")
    ] = "",
    attacks: Annotated[
        str, typer.Option(help="The attacks that grade the trials; quick ones by default.")
    ] = "lda,linear",
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of splits, fits, attacks and resampling.")] = 0,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    engine: EngineName = "local",
    address: EngineAddress = None,
    workers: EngineWorkers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print tune.json on standard output.")] = False,
) -> None:
    """Try settings on validation videos and fit the best on all training videos; test videos stay unread.

    The engine ray does the trials side by side on a cluster, with the same results.
    """
    import latentveil as lv

    found = lv.tune(
        store,
        labels,
        output,
        tasks=names_in(tasks),
        keep=keep,
        dials=dials or (),
        preset=preset,
        method=method,
        secrets=names_in(secrets),
        attacks=names_in(attacks),
        segments=segments,
        seed=seed,
        device=device,
        engine=engine,
        address=address,
        workers=workers,
    )
    if as_json:
        print(json.dumps(found.to_dict()))
    else:
        print(found)
        adapter = output / "adapter"
        print(f"Trials: {output / 'tune.md'}. Next: veil apply {adapter} {store} -o SAFE", file=sys.stderr)
