"""The embedded data set as a folder for a bench: four of its sets rendered and encoded into one store."""

from __future__ import annotations

import os
from pathlib import Path

from latentveil.actors.sets.write import write_dataset
from latentveil.bench.data import LABELS, STORE
from latentveil.bench.merge import merge_labels
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.labels import Labels
from latentveil.progress import OnProgress, Progress, silent
from latentveil.types import Sampling

ACTORS = "actors"  # what `--data` calls them
SIZES = {"action": 240, "bias": 252, "gait": 300, "images": 200}
QUICK_SIZES = {"action": 96, "bias": 96, "gait": 90, "images": 80}
RENDER_SIZE, FRAME_SIZE = 128, 112  # the centre of 112 pixels is cut out of 128, without resizing
CLIPS, STILLS = 2, 2


def prepare_actors(
    folder: Path,
    *,
    sizes: dict[str, int],
    encoder: str = "i3d",
    workers: int | None = None,
    on_progress: OnProgress = silent,
) -> Path:
    """``folder`` with `raw.store` and `labels.csv` of the sets that ``sizes`` names; what is finished there is kept."""
    if (folder / LABELS).is_file():
        return folder
    workers = workers or max(1, min(2, os.cpu_count() or 1))
    parts = {}
    for task, size in sizes.items():
        written = folder / task
        write_dataset(
            written, task=task, num_videos=size, size=RENDER_SIZE, workers=workers, on_progress=on_progress
        )
        parts[task] = Labels.read(written / LABELS)
    report = run_extraction(
        [folder / task for task in sizes],
        folder / STORE,
        encoder=EncoderChoice(encoder, size=FRAME_SIZE),
        sampling=Sampling(clips=CLIPS, static_clips=STILLS),
        options=ExtractOptions(workers=workers, shard_videos=16),
        on_progress=lambda state: on_progress(Progress("encoding actors", state.num_done, state.num_videos)),
    )
    if report.failures:
        raise InputError(f"{folder} must hold videos that can be read, got: {report.failures[0].reason}.")
    merge_labels(parts).write(folder / LABELS)
    return folder
