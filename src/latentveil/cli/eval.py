"""`veil eval`: what a task reaches on given features with freshly trained heads."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from latentveil.tasks.evaluate import Evaluation


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
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Train fresh heads on the features and score them on the test videos."""
    from rich.console import Console

    from latentveil.tasks.evaluate import evaluate

    with Console(stderr=True).status("reading") as status:
        result = evaluate(
            task,
            store,
            labels=labels,
            segments=segments,
            seeds=range(seeds),
            predictions=predictions,
            head=head,
            report=lambda what: status.update(f"training a head for {task}: {what}"),
        )
    print(json.dumps(result.to_dict()) if as_json else _lines(result))
    if predictions is not None:
        print(f"Detections: {predictions}", file=sys.stderr)


def _lines(result: Evaluation) -> str:
    """One line for every seed, with the interval over videos, and one for their mean."""
    kind = "anonymized" if result.anonymized else "raw"
    lines = [f"{result.task} on {kind} features: {result.metric}, chance {result.chance:.3f}"]
    for head in result.heads:
        lines.append(f"seed {head.seed}  {head.score.interval}  {_text(head.score.details)}".rstrip())
    spread = "" if result.spread is None else f" ± {result.spread:.3f}"
    lines.append(f"mean    {result.mean:.3f}{spread}  {_text(result.details)}".rstrip())
    return "\n".join(lines)


def _text(details: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.3f}" for name, value in details.items())
