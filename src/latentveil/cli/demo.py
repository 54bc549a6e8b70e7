"""`veil demo`: the whole story, from rendered videos to the report."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", "--out", help="Folder for everything the demo makes.")
    ] = Path("demo"),
    encoder: Annotated[str, typer.Option(help="i3d (real weights, fetched once) or tiny (offline).")] = "i3d",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer videos, attacks and secrets.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print audit.json on standard output.")] = False,
) -> None:
    """Render people, extract features, fit an adapter, apply it, attack the result, and write a report."""
    from latentveil.cli.story import FULL, QUICK, demo
    from latentveil.report.headline import headline

    result = demo(
        output,
        encoder=encoder,
        size=QUICK if quick else FULL,
        seed=seed,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        told = "\n".join(headline(result))
        print(f"\n{told}\n\nReport: {output / 'audit' / 'report.html'}")
