"""`veil export`: a store as files for other tools or under other names, an adapter as an ONNX graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.errors import UsageError


def command(
    source: Annotated[
        Path, typer.Argument(metavar="STORE|ADAPTER", help="The feature store, or with --onnx the adapter.")
    ],
    npy: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write DIR/<video>.npy (T, D) in time order, static clips to DIR/static/."
        ),
    ] = None,
    h5: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write one HDF5 file, an array per video; static clips to FILE_static.h5."
        ),
    ] = None,
    npz: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write one npz with an array per column: nothing is lost."),
    ] = None,
    onnx: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write an adapter as an ONNX graph: features (B, T, D) and mask (B, T) in, anonymized features out. "
            "An adapter with noise takes it as a third input, noise: standard normal numbers, drawn fresh.",
        ),
    ] = None,
    as_store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write a store again, under the names of --rename; give `veil audit` the same --rename for it.",
        ),
    ] = None,
    view: Annotated[str | None, typer.Option(help="Which view to export, where clips have several.")] = None,
    rename: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with the columns video, name by which videos are called otherwise; random numbers are drawn and "
            "written there where it does not exist. Names often tell who is in a video: keep FILE at home.",
        ),
    ] = None,
) -> None:
    """Export a feature store to NumPy or HDF5 files or under other names, or an adapter to ONNX."""
    import latentveil as lv

    targets = {"--npy": npy, "--h5": h5, "--npz": npz, "--as-store": as_store, "--onnx": onnx}
    chosen = [option for option, target in targets.items() if target is not None]
    if len(chosen) != 1:
        got = ", ".join(chosen) or "none"
        raise UsageError(f"exactly one of {', '.join(targets)} must be given, got {got}.")
    if onnx is None:
        written = lv.export_features(
            source, npy=npy, h5=h5, npz=npz, as_store=as_store, view=view, rename=rename
        )
        print(*written, sep="\n")
        return
    for option, given in (("--view", view), ("--rename", rename)):
        if given is not None:
            raise UsageError(f"{option} must be given for stores only, got it with --onnx.")
    from latentveil.adapters.export_onnx import export_adapter

    inputs = export_adapter(source, onnx)
    print(onnx)
    print(f"Inputs of the graph: {', '.join(inputs)}.", file=sys.stderr)
    if "noise" in inputs:
        print(
            "Draw the noise anew for every call, standard normal, from a seed that nobody can guess: without it, or "
            "with one that is known, the features are not protected.",
            file=sys.stderr,
        )
