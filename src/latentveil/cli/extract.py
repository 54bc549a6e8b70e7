"""`veil extract`: from video files to a feature store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latentveil.cli.failures import tell_failures
from latentveil.cli.statuses import SOME_FAILED
from latentveil.cli.words import numbers_in

if TYPE_CHECKING:
    from latentveil.extraction import ExtractionReport


def command(
    videos: Annotated[
        list[Path],
        typer.Argument(
            help="Video or image files, folders (all below, or what their own labels name), .txt and .csv lists."
        ),
    ],
    store: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the store; an unfinished one goes on.")
    ],
    encoder: Annotated[
        str, typer.Option(help="i3d, videomae, vjepa2, tiny or module:package.module:factory.")
    ] = "i3d",
    size: Annotated[
        int | None, typer.Option(help="Frame size in pixels; the encoder's own by default.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Folder, file or hub name of the encoder's weights.")
    ] = None,
    backend: Annotated[str, typer.Option(help="torch or onnx.")] = "torch",
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, ...")] = "cpu",
    clips: Annotated[str, typer.Option(help="'all' clips, or K evenly spaced ones.")] = "all",
    stride_frames: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Frames from the start of a clip to that of the next, of all clips; by default the clip length, so "
            "that clips do not overlap. Less makes more clips and finer times, e.g. for detection.",
        ),
    ] = None,
    static: Annotated[int, typer.Option(help="K evenly spaced frames of each video as static clips.")] = 0,
    view: Annotated[
        str, typer.Option(help="validation (centre), or training (random crop and flip).")
    ] = "validation",
    views: Annotated[int, typer.Option(help="Training views of each clip.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the training views.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(help="Worker processes, each with its own encoder; by default by cores and videos."),
    ] = None,
    batch_clips: Annotated[int, typer.Option(help="Clips that are encoded at once.")] = 4,
    dtype: Annotated[str, typer.Option(help="float32 or float16, in the store.")] = "float32",
    shard_videos: Annotated[
        int, typer.Option(help="Videos per shard; a killed run redoes at most these.")
    ] = 32,
    engine: Annotated[str, typer.Option(help="local, or ray for a cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Of the Ray cluster, e.g. auto; this machine by default.")
    ] = None,
    worker_gpus: Annotated[
        float, typer.Option(help="Graphics cards, or a part of one, for each worker of the cluster.")
    ] = 0.0,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Decode in confined child processes, for videos one does not trust."),
    ] = False,
    decoding: Annotated[
        str,
        typer.Option(
            help="Limits of one file, as seconds=60,frames=100000; also pixels (of a frame) and, in the sandbox, "
            "memory_megabytes."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Encode the clips of videos into a feature store.

    A run that was stopped or killed continues where it was. The same command may run on many machines at once, on one
    store that all of them see (a shared folder, s3://...): they divide the videos. Files that cannot be read are
    listed at the end with the reason, and the exit status is then 3.
    """
    import latentveil as lv

    report = lv.extract(
        videos,
        store,
        encoder=encoder,
        size=size,
        weights=weights,
        backend=backend,
        device=device,
        clips=clips,
        stride_frames=stride_frames,
        static=static,
        view=view,
        views=views,
        seed=seed,
        workers=workers,
        batch_clips=batch_clips,
        dtype=dtype,
        shard_videos=shard_videos,
        engine=engine,
        address=address,
        worker_gpus=worker_gpus,
        sandbox=sandbox,
        decoding=numbers_in(decoding, option="--decoding"),
    ).report
    _tell(report)
    if as_json:
        print(json.dumps(report.to_dict()))
    if report.failures:
        raise typer.Exit(SOME_FAILED)


def _tell(report: ExtractionReport) -> None:
    """The outcome in a few lines on standard error."""
    rate = f"{report.num_clips / report.seconds:.1f} clips/s"
    skipped = f", {report.num_skipped} videos were there before" if report.num_skipped else ""
    print(
        f"{report.num_videos} videos, {report.num_clips} clips in {report.seconds:.1f} s ({rate}){skipped}.",
        file=sys.stderr,
    )
    tell_failures(report.failures)
