"""`veil apply`: anonymized features of a store, as a new store, or rewritten videos, as mp4 files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from latentveil.cli.engine_options import EngineAddress, EngineName, EngineWorkers
from latentveil.cli.failures import tell_failures
from latentveil.cli.statuses import SOME_FAILED
from latentveil.cli.words import numbers_in
from latentveil.errors import UsageError

if TYPE_CHECKING:
    from latentveil.pixels.rewritten import AnonymizedVideos


def command(
    adapter: Annotated[
        str,
        typer.Argument(
            help="Folder (or hub name) of an adapter or a pixel anonymizer, or one that learns nothing: "
            "blur, cover, downsample."
        ),
    ],
    store: Annotated[
        list[Path],
        typer.Argument(
            metavar="STORE|VIDEOS...",
            help="Store with raw features; for a pixel anonymizer, files, folders or lists of videos.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the anonymized store, or of the videos.")
    ],
    seed: Annotated[
        int | None,
        typer.Option(
            help="Makes the noise repeatable, also for whoever tries all seeds: leave it out for a release."
        ),
    ] = None,
    keep_sound: Annotated[bool, typer.Option(help="Videos: copy the sound, which is dropped else.")] = False,
    spans: Annotated[
        Path | None,
        typer.Option(
            help="Videos: CSV with video, start_seconds, end_seconds; of the videos it names, only this is rewritten."
        ),
    ] = None,
    boxes: Annotated[
        Path | None,
        typer.Option(help="cover: CSV of boxes instead of the detector's, for the videos that it names."),
    ] = None,
    boxes_out: Annotated[
        Path | None, typer.Option(help="cover: write the boxes that were covered to this CSV.")
    ] = None,
    review: Annotated[
        Path | None, typer.Option(help="cover: write a page (HTML) of rewritten frames to look at.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="blur, cover, downsample: one of its presets.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="blur, cover, downsample: one setting, as look=strong. May be repeated."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or mps.")] = "cpu",
    engine: EngineName = "local",
    address: EngineAddress = None,
    workers: EngineWorkers = None,
    worker_gpus: Annotated[
        float, typer.Option(help="Graphics cards, or a part of one, for each worker of the cluster.")
    ] = 0.0,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Once the store is complete, destroy what the adapter's folder holds of single groups of videos "
            "(method transport): nobody can undo the release with it.",
        ),
    ] = False,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox", help="Videos: decode in confined child processes, where one does not trust them."
        ),
    ] = False,
    decoding: Annotated[
        str,
        typer.Option(help="Videos: limits of one file, as seconds=60,frames=100000 (see `veil extract`)."),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Anonymize every feature of a store, or every frame of videos; a run that was stopped continues where it was.

    Videos become mp4 files of the same rate and length, without sound and metadata. Files that cannot be read are
    listed at the end with the reason, and the exit status is then 3. The engine ray is for features: to rewrite videos
    on several machines, give each a part of them and an output folder of its own.
    """
    import latentveil as lv
    from latentveil.adapters.forget import finish_forgetting, is_forgotten
    from latentveil.front.loading import load_either

    finished = forget and finish_forgetting(adapter)
    found = load_either(adapter, preset=preset, settings=settings or [])
    files = {"spans": spans, "boxes": boxes, "boxes_out": boxes_out, "review": review}
    if isinstance(found, lv.PixelAnonymizer):
        options = files | {
            "keep_sound": keep_sound,
            "seed": seed,
            "forget": forget,
            "engine": engine,
            "address": address,
            "workers": workers,
            "worker_gpus": worker_gpus,
            "device": device,
            "sandbox": sandbox,
            "decoding": numbers_in(decoding, option="--decoding"),
        }
        _rewrite(found, store, output, options, as_json=as_json)
        return
    given = [f"--{name.replace('_', '-')}" for name, value in files.items() if value is not None]
    words = {
        "--keep-sound": keep_sound,
        "--sandbox": sandbox,
        "--decoding": decoding,
        "several places": store[1:],
    }
    given += [word for word, value in words.items() if value]
    if given:
        raise UsageError(
            f"{given[0]} must be for videos, got the adapter {adapter}, which takes one store of features."
        )
    made = lv.apply(
        adapter, store[0], output, seed=seed, device=device,
        engine=engine, address=address, workers=workers, worker_gpus=worker_gpus, forget=forget,
    )  # fmt: skip
    counts, before = made.manifest.counts, is_forgotten(found)
    if as_json:
        told = {"store": str(output), "videos": counts.videos, "clips": counts.clips}
        print(json.dumps(told | {"key_forgotten": forget or before}))
    else:
        there = " were there before" if forget and before else ""
        gone = "gone already" if before and not finished else "destroyed"
        key = f" The key in {adapter} is {gone}." if forget else ""
        print(f"{counts.clips} clips of {counts.videos} videos{there} -> {output}.{key}", file=sys.stderr)


def _rewrite(
    anonymizer: Any, videos: list[Path], output: Path, options: dict[str, Any], *, as_json: bool
) -> None:
    """Rewrite videos, and say what came of it."""
    import latentveil as lv
    from latentveil.pixels.request import read_spans

    spans = options["spans"]
    options["spans"] = read_spans(spans) if spans is not None else None
    report: AnonymizedVideos = lv.apply(anonymizer, videos, output, **options)
    skipped = f", {report.num_skipped} were there before" if report.num_skipped else ""
    print(
        f"{report.num_videos} videos, {report.num_frames} frames in {report.seconds:.1f} s{skipped} -> {output}. "
        f"Next: veil extract {output} -o SAFE",
        file=sys.stderr,
    )
    tell_failures(report.failures)
    if as_json:
        print(json.dumps(report.to_dict()))
    if report.failures:
        raise typer.Exit(SOME_FAILED)
