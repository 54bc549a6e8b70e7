"""`veil export`: a store as files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    source: Annotated[Path, typer.Argument(metavar="STORE", help="The feature store to export.")],
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
    view: Annotated[str | None, typer.Option(help="Which view to export, where clips have several.")] = None,
) -> None:
    """Export a feature store to NumPy or HDF5 files."""
    targets = {"--npy": npy, "--h5": h5, "--npz": npz}
    chosen = [option for option, target in targets.items() if target is not None]
    if len(chosen) != 1:
        raise typer.BadParameter(f"give exactly one of {', '.join(targets)}.")
    target = targets[chosen[0]]
    assert target is not None
    written = _export_store(source, target, layout=chosen[0], view=view)
    print(f"Written: {', '.join(map(str, written))}.")


def _export_store(source: Path, target: Path, *, layout: str, view: str | None) -> list[Path]:
    from latentveil.store import FeatureStore
    from latentveil.store.export_features import export_h5, export_npy, export_npz

    export = {"--npy": export_npy, "--h5": export_h5, "--npz": export_npz}[layout]
    return export(FeatureStore(source), target, view=view)
