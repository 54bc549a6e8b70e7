"""`veil actors`: write the embedded data set as video files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder for videos, labels and contact sheet.")
    ],
    task: Annotated[
        str, typer.Option(help="What the videos are for: action, detection, anomaly, gait, bias or images.")
    ] = "action",
    videos: Annotated[
        int | None, typer.Option(help="How many videos; the task's usual number if not given.")
    ] = None,
    size: Annotated[int, typer.Option(help="Height and width in pixels, an even number.")] = 224,
    more_test: Annotated[
        int,
        typer.Option(
            help="So many test videos more, of other people, in a new folder; the other videos are the same."
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same videos.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes that render at the same time.")] = min(
        4, os.cpu_count() or 1
    ),
) -> None:
    """Render people who move, as mp4 files with labels.csv, segments.csv and a contact sheet."""
    from latentveil.actors.sets.write import write_dataset
    from latentveil.progress import shown

    with shown() as on_progress:
        written = write_dataset(
            directory,
            task=task,
            num_videos=videos,
            size=size,
            seed=seed,
            more_test=more_test,
            workers=workers,
            on_progress=on_progress,
        )
    print(written)
    print(f"Look at {written / 'contact_sheet.png'}. Next: veil extract {written} -o STORE", file=sys.stderr)
