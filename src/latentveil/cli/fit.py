"""`veil fit`: an adapter from a store of raw features, or from the videos it was made of."""

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
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels CSV: video, split, and the columns of the tasks. Motion alone needs none, and then learns "
            "from every video of the store."
        ),
    ] = None,
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    preset: Annotated[str | None, typer.Option(help="veil (ours, the default), paper or released.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method instead of a preset, by its name (a wrong one lists them all) or as package.module:object."
        ),
    ] = None,
    tasks: Annotated[
        str,
        typer.Option(
            help="What the features must stay good for: action,detection,anomaly or some of them. Adding motion "
            "keeps whatever moves, for tasks that are not known yet, and hides less."
        ),
    ] = "action",
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as erasure.noise=0.7. May be repeated.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    seed: Annotated[int, typer.Option(help="Seed of everything random in the fit.")] = 0,
    videos: Annotated[
        list[Path] | None,
        typer.Option(
            help="The store's videos (folder, file or list): new crops and flips of the training videos are "
            "encoded each epoch, and the store serves for validation. Slow. May be repeated."
        ),
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="With --videos; the store's by default.")] = None,
    size: Annotated[
        int | None, typer.Option(help="With --videos: frame size in pixels; the store's by default.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="With --videos: folder, file or hub name of the encoder's weights.")
    ] = None,
    workers: Annotated[int, typer.Option(help="With --videos: processes, each with its own encoder.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Fit an adapter that hides who is in the video and keeps what the tasks need."""
    from latentveil.errors import InputError
    from latentveil.extraction.live_features import VideoSource
    from latentveil.methods.fit import fit
    from latentveil.methods.plan import load_config
    from latentveil.progress import Progress, shown
    from latentveil.store.labelled import coverage_in_words
    from latentveil.tasks.build import MOTION

    if not videos and (encoder or size or weights or workers != 1):
        raise InputError("--videos must be given with --encoder, --size, --weights or --workers, got none.")
    fixed = [f"train.device={device}", f"train.seed={seed}"]
    plan = load_config(preset, [*fixed, *(changes or [])], method=method)
    names = list(dict.fromkeys(name.strip() for name in tasks.split(",") if name.strip()))
    with shown() as on_progress:

        def on_video(epoch: int, done: int, total: int) -> None:
            on_progress(Progress("encoding", done, total, note=f"videos of epoch {epoch + 1}"))

        source = VideoSource(
            videos or [], encoder=encoder, size=size, weights=weights, workers=workers, on_video=on_video
        )
        fit(
            store,
            output,
            labels=labels,
            config=plan,
            tasks=names,
            segments=segments,
            videos=source if videos else None,
            on_progress=on_progress,
        )
    if labels and (note := coverage_in_words(labels, store)):
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps({"adapter": str(output), "method": plan.method.name, "terms": _last_terms(output)}))
        return
    print(f"{plan.method.name} -> {output}. Next: veil apply {output} {store} -o SAFE", file=sys.stderr)
    if plan.method.name == "veil" and MOTION not in names:  # the method motion keeps it unasked
        print(
            f"Good for {', '.join(names)}; other tasks may be lost. To keep them, too, and hide less: "
            f"--tasks {','.join(names)},{MOTION}",
            file=sys.stderr,
        )


def _last_terms(adapter: Path) -> dict[str, float]:
    """Every number of the last epoch of a training; none where nothing was trained."""
    log = adapter / "training" / "log.jsonl"
    return json.loads(log.read_text().splitlines()[-1]) if log.exists() else {}
