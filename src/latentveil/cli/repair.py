"""`veil repair`: damaged shards of a store, made again from the videos."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from latentveil.cli.failures import tell_failures
from latentveil.cli.statuses import SOME_FAILED


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The feature store to mend.")],
    videos: Annotated[
        list[Path],
        typer.Option(
            "--from",
            metavar="VIDEOS",
            help="The folder, file or list that the store was extracted from. May be repeated.",
        ),
    ],
    encoder: Annotated[
        str | None, typer.Option(help="The encoder, if the store's has no name of ours.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Folder, file or hub name of the encoder's weights.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, ...")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Find the shards of a store that are damaged or lost, and make just those again.

    A video that cannot be read any more is listed, and the exit status is then 3; its old shard is kept beside the
    store's files, with the ending .damaged.
    """
    from latentveil.extraction.repair import repair_store
    from latentveil.progress import shown

    with shown() as on_progress:
        done = repair_store(
            store, videos, encoder=encoder, weights=weights, device=device, on_progress=on_progress
        )
    if as_json:
        told = {"damaged": done.damaged, "restored": done.restored, "remade": done.remade}
        print(json.dumps({"store": str(store), **told, "failures": [one.reason for one in done.failures]}))
    elif not done.damaged:
        print(f"{store} is intact: nothing to mend.")
    for name in done.restored:
        print(f"{name}: restored, every value as it was.", file=sys.stderr)
    for name in done.remade:
        print(f"{name}: made again, with other values or videos than were recorded.", file=sys.stderr)
    tell_failures(done.failures)
    if done.failures:
        raise typer.Exit(SOME_FAILED)
