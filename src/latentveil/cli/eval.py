"""`veil eval`: what a task reaches on given features with freshly trained heads."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    task: Annotated[str, typer.Argument(help="action, detection or anomaly.")],
    store: Annotated[Path, typer.Argument(help="Store of features, raw or anonymized.")],
    labels: Annotated[Path, typer.Option(help="Labels CSV: video, split, and the column of the task.")],
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    head: Annotated[
        str | None,
        typer.Option(
            help="detection: tridet-small (the default), tridet; anomaly: mgfn-small (the default), mgfn, mgfn-paper, "
            "sultani. Without 'small', every number is the published one."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many heads are trained, with seeds from 0.")] = 3,
    predictions: Annotated[
        Path | None,
        typer.Option(help="File for the first head's test detections, as JSON in ActivityNet's form."),
    ] = None,
    read_gb: Annotated[
        float | None,
        typer.Option(
            help="Gigabytes of features to read at most, by default 0.4; of a larger store, a sample of videos."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Train fresh heads on the features and score them on the test videos."""
    import latentveil as lv

    result = lv.evaluate(
        task,
        store,
        labels,
        segments=segments,
        head=head,
        seeds=seeds,
        predictions=predictions,
        read_gb=read_gb,
    )
    print(json.dumps(result.to_dict()) if as_json else result)
    if predictions is not None:
        print(f"Detections: {predictions}", file=sys.stderr)
