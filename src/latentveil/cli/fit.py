"""`veil fit`: an adapter from a store of raw features, or a pixel anonymizer from videos."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.cli.words import names_in
from latentveil.errors import UsageError


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the adapter; an unfinished one goes on.")
    ],
    store: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STORE|VIDEOS]",
            help="Store with raw features, static clips included, which may be left out with --release; for a pixel "
            "method, a folder, file or list of videos.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels CSV: video, split, and the columns of the tasks. Motion alone needs none, and then learns "
            "from every video of the store."
        ),
    ] = None,
    segments: Annotated[Path | None, typer.Option(help="Segments CSV, for detection and anomaly.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="veil (ours, the default), paper or released; with a pixel method, one of its own."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method instead of a preset, by its name (a wrong one lists them all) or as package.module:object."
        ),
    ] = None,
    tasks: Annotated[
        str | None,
        typer.Option(
            help="What the features must stay good for: action (the default),detection,anomaly or some of them. Adding "
            "motion keeps whatever moves, for tasks that are not known yet, and hides less. Not with --release."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            help="Which videos belong together (method transport): a column of the labels such as person or "
            "recording, or several, as recording,clothes, which are hidden one after the other; stills for clusters "
            "of looks, which takes no label; or video for each by itself."
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            help="Store that is to be released: the method transport is fitted on all of its videos and needs no "
            "labels unless --groups names a column."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as erasure.noise=0.7. May be repeated.")
    ] = None,
    certify: Annotated[
        float | None,
        typer.Option(
            help="With named tasks: draw as much noise as guarantees that nobody gains more than this over guessing at "
            "two equally likely answers about a video (0.3: right 65 % of the time, not 50 %). As --set "
            "erasure.certify=0.3."
        ),
    ] = None,
    read_gb: Annotated[
        float | None,
        typer.Option(
            help="Gigabytes of features to read at most, 0.4 for a method that trains, 0.2 for a closed form; of a "
            "larger store a sample of videos is read."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of everything random in the fit, 0 by default. Whoever knows that of transport can repeat its "
            "draws; without one they are secret."
        ),
    ] = None,
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
    import latentveil as lv
    from latentveil.adapters.adapter import read_training_log
    from latentveil.extraction.live_features import VideoSource
    from latentveil.machine.processes import is_first_process

    if not videos and (encoder or size or weights or workers != 1):
        raise UsageError("--videos must be given with --encoder, --size, --weights or --workers, got none.")
    chosen = store or release
    if chosen is None or (store and release and store != release):
        found = "none" if chosen is None else "two stores"
        raise UsageError(
            f"STORE must be given once, as a store to learn from or as --release STORE, got {found}."
        )
    if certify is not None and (release or groups):
        raise UsageError(
            f"--certify must be left out with --release and --groups, got {certify:g}. No bound is known for a release "
            "as a set: audit it with --certify, which tests it."
        )
    changes = [*(settings or []), *([] if certify is None else [f"erasure.certify={certify}"])]
    source = VideoSource(videos or [], encoder=encoder, size=size, weights=weights, workers=workers)
    adapter = lv.fit(
        chosen,
        labels,
        output,
        tasks=None if tasks is None else names_in(tasks),
        preset=preset,
        method=method,
        settings=changes,
        segments=segments,
        groups=groups,
        release=release is not None,
        videos=source if videos else None,
        read_gb=read_gb,
        seed=seed,
        device=device,
    )
    if not is_first_process():  # of those that torchrun started, one speaks
        return
    made_by = adapter.config["recipe"]["method"]
    if as_json:
        log = read_training_log(output)
        terms = {name: value for name, value in log[-1].items() if name != "epoch"} if log else {}
        print(json.dumps({"adapter": str(output), "method": made_by, "terms": terms}))
    else:
        then = ", audit SAFE, then the same with --forget" if adapter.config.get("groupings") else ""
        made_of = adapter.config.get("network") or adapter.config["about"]  # the latter of a pixel anonymizer
        told = f"{made_by} -> {output} ({made_of})."
        print(f"{told} Next: veil apply {output} {chosen} -o SAFE{then}", file=sys.stderr)
