"""`veil export`: a store as files for other tools, an adapter as an ONNX graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
    view: Annotated[str | None, typer.Option(help="Which view to export, where clips have several.")] = None,
) -> None:
    """Export a feature store to NumPy or HDF5 files, or an adapter to ONNX."""
    targets = {"--npy": npy, "--h5": h5, "--npz": npz, "--onnx": onnx}
    chosen = [option for option, target in targets.items() if target is not None]
    if len(chosen) != 1:
        raise typer.BadParameter(f"give exactly one of {', '.join(targets)}.")
    target = targets[chosen[0]]
    assert target is not None
    if onnx is None:
        written = _export_store(source, target, layout=chosen[0], view=view)
        print(f"Written: {', '.join(map(str, written))}.")
    else:
        if view is not None:
            raise typer.BadParameter("--view is for stores, not for --onnx.")
        _export_adapter(source, target)


def _export_adapter(source: Path, target: Path) -> None:
    from latentveil.adapters.export_onnx import export_adapter

    inputs = export_adapter(source, target)
    print(f"Written: {target}, with the inputs {', '.join(inputs)}.")
    if "noise" in inputs:
        print(
            "Draw the noise anew for every call, standard normal, from a seed that nobody can guess: without it, or "
            "with one that is known, the features are not protected."
        )


def _export_store(source: Path, target: Path, *, layout: str, view: str | None) -> list[Path]:
    from latentveil.store import FeatureStore
    from latentveil.store.export_features import export_h5, export_npy, export_npz

    export = {"--npy": export_npy, "--h5": export_h5, "--npz": export_npz}[layout]
    return export(FeatureStore(source), target, view=view)
