"""`veil audit`: what an attacker can still learn, and what the features are still good for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.cli.engine_options import EngineAddress, EngineName, EngineWorkers
from latentveil.cli.words import names_in


def command(
    raw: Annotated[Path, typer.Argument(help="Store with raw features.")],
    safe: Annotated[Path, typer.Argument(help="Store with anonymized features of the same clips.")],
    labels: Annotated[
        Path, typer.Option(help="Labels CSV: video, split, person, secret_… and task columns.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder for audit.json, audit.md, report.html; a stopped audit goes on, another one is refused.",
        ),
    ],
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    secrets: Annotated[
        str, typer.Option(help="Secrets, as gender,identity; all in the labels by default.")
    ] = "",
    attacks: Annotated[str, typer.Option(help="Attacks, as linear,lda,mlp; all by default.")] = "all",
    tasks: Annotated[
        str, typer.Option(help="Tasks, as action; all in the labels by default, 'none' for none.")
    ] = "",
    adapter: Annotated[
        str | None,
        typer.Option(
            help="Folder of the adapter: attackers who hold it draw its noise again, which makes them "
            "stronger, and its privacy card is filled in."
        ),
    ] = None,
    videos: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the videos: pictures are decoded from features, and frames shown in the report."
        ),
    ] = None,
    rename: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with the columns video, name by which SAFE was renamed (`veil export --as-store --rename`).",
        ),
    ] = None,
    name_people: Annotated[
        bool, typer.Option("--name-people", help="Name people in the report, instead of numbering them.")
    ] = False,
    recipient: Annotated[
        str,
        typer.Option(
            help="Who gets the features, by what else they hold: features, labels, adapter or raw (each includes the "
            "ones before); 'all' gives a verdict for each of them, 'none' leaves the three risks out."
        ),
    ] = "raw",
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="Also say what holds for every attacker: the bound of the adapter's noise (with --adapter), and "
            "whether people can be told in the release at all.",
        ),
    ] = False,
    limit: Annotated[
        float | None,
        typer.Option(
            help="How far an attacker may come, from 0 (guessing) to 1 (certainty), by the upper end of the interval: "
            "the report then says passed or failed. The exit status stays 0; read `verdict` in audit.json."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of folds, attacks and resampling.")] = 0,
    floor: Annotated[
        int,
        typer.Option(
            min=0,
            help="Repeat the attacks this often with nothing to learn, to know what they reach then; 0 for never.",
        ),
    ] = 0,
    engine: EngineName = "local",
    address: EngineAddress = None,
    workers: EngineWorkers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print audit.json on standard output.")] = False,
) -> None:
    """Attack the features with freshly trained models and write the report."""
    import latentveil as lv
    from latentveil.report.headline import headline

    result = lv.audit(
        raw,
        safe,
        labels,
        output,
        adapter=adapter,
        secrets=names_in(secrets),
        attacks="all" if attacks == "all" else names_in(attacks),
        tasks=None if tasks == "none" else names_in(tasks),
        segments=segments,
        videos=videos,
        rename=rename,
        name_people=name_people,
        recipient=None if recipient == "none" else recipient,
        certify=certify,
        limit=limit,
        floor=floor,
        seed=seed,
        engine=engine,
        address=address,
        workers=workers,
    )
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        print("\n".join(headline(result)))
        print(f"Report: {output / 'report.html'}", file=sys.stderr)
