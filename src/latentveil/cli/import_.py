"""`veil import`: a store from features that are already there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.errors import UsageError


def command(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store to write.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILES...",
            help="Features: .npy, .npz, .h5 or .safetensors files, or folders of them. One file per video (T, D); or "
            "one array per video; or one npz with the arrays video, kind, start_frame, feature.",
            show_default=False,
        ),
    ] = None,
    stills: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A file or folder of static clips; may be given several times."),
    ] = None,
    encoder: Annotated[str, typer.Option(help="The name of the encoder that made the features.")] = "unknown",
    fps: Annotated[
        float | None, typer.Option(help="Frames per second; without it, times are unknown.")
    ] = None,
    stride_frames: Annotated[
        int, typer.Option(help="Frames from one clip to the next, if not in the file.")
    ] = 16,
    dtype: Annotated[
        str, typer.Option(help="float32, or float16: half the size, 3 decimal digits.")
    ] = "float32",
) -> None:
    """Make a feature store from features that you already have.

    In a folder, what lies under static/ is taken as static clips, as `veil export --npy` writes it.
    """
    import latentveil as lv

    if not files and not stills:
        raise UsageError("FILES must name at least one file or folder of features, got none.")
    store = lv.import_features(
        files or [],
        output,
        stills=stills or [],
        encoder=encoder,
        fps=fps,
        stride_frames=stride_frames,
        dtype=dtype,
    )
    counts = store.manifest.counts
    print(
        f"{output}: {counts.videos} videos, {counts.temporal} temporal and {counts.static} static clips "
        f"of {store.dim} numbers.",
        file=sys.stderr,
    )
