"""`veil fit`: an adapter from a store of raw features."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    store: Annotated[Path, typer.Argument(help="Store with raw features, static clips included.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the adapter; an unfinished one goes on.")
    ],
    labels: Annotated[Path, typer.Option(help="Labels CSV: video, split, and the columns of the tasks.")],
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    preset: Annotated[str, typer.Option(help="veil (ours), paper or released.")] = "veil",
    method: Annotated[
        str | None, typer.Option(help="Another method than the preset's: noise, pca, subspace, leace, …")
    ] = None,
    tasks: Annotated[
        str, typer.Option(help="Tasks to keep: action,detection,anomaly or some of them.")
    ] = "action",
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as train.epochs=20. May be repeated.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    seed: Annotated[int, typer.Option(help="Seed of everything random in the fit.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Fit an adapter that hides who is in the video and keeps what the tasks need."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    from latentveil.config import load_config
    from latentveil.workflow.fit import fit

    fixed = [f"train.device={device}", f"train.seed={seed}", *([f"method={method}"] if method else [])]
    config = load_config(preset, [*fixed, *(changes or [])])
    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[terms]}"))
    last: dict[str, float] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("fitting", total=config.train.epochs, terms="")

        def show(epoch: int, terms: dict[str, float]) -> None:
            last.update(terms)
            text = "  ".join(f"{name} {value:.3g}" for name, value in terms.items())
            progress.update(bar, completed=epoch + 1, terms=text)

        fit(
            store,
            output,
            labels=labels,
            config=config,
            tasks=[name for name in tasks.split(",") if name],
            segments=segments,
            report=show,
        )
    if as_json:
        print(json.dumps({"adapter": str(output), "method": config.method, "terms": last}))
    else:
        print(f"{config.method} -> {output}. Next: veil apply {output} {store} -o SAFE", file=sys.stderr)
