"""The embedded data set as a folder for a bench: some of its sets rendered and encoded into one store."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import Field

from latentveil.actors.sets.write import write_dataset
from latentveil.bench.data import BOXES, LABELS, SEGMENTS, STORE
from latentveil.bench.rows import Strict
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.files.differences import differences
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole
from latentveil.joined_labels import merge_labels
from latentveil.labels import Labels, read_segments, write_segments
from latentveil.progress import OnProgress, Progress, silent
from latentveil.types import Sampling
from latentveil.video.boxes import read_boxes, write_boxes

ACTORS = "actors"  # what `--data` calls them
RECORD = "made.json"  # what the folder was made by
RENDER_SIZE, FRAME_SIZE = 128, 112  # the centre of 112 pixels is cut out of 128, without resizing


class ActorsData(Strict):
    """Which actors a recipe needs: how many ``videos`` of each set, fewer with ``--quick``, and how they are encoded.

    ``more_test`` videos of a set are in the test split besides, so that a number has many people behind it; adapters
    learn from the same videos with and without them. ``clips`` are those of a video (0: all of it), ``stills`` its
    static clips. Recipes that need the same share them; a ``name`` tells those apart that need other numbers of the
    same sets, but for quick ones.
    """

    videos: dict[str, int] = Field(default_factory=lambda: {"action": 320, "images": 400})
    more_test: dict[str, int] = Field(default_factory=dict)
    quick: dict[str, int] = Field(default_factory=lambda: {"action": 96, "images": 80})
    encoder: str = "i3d"
    clips: int = Field(2, ge=0)
    stills: int = Field(2, ge=1)
    name: str = Field("", pattern=r"^\w*$")

    def folder(self, *, quick: bool) -> str:
        """The name of their folder, which says how they differ from the usual ones."""
        usual = ActorsData()
        own = [] if set(self.videos) == set(usual.videos) else sorted(self.videos)
        own += [] if self.encoder == usual.encoder else [self.encoder]
        own += [self.name] if self.name and not quick else []
        return "-".join([ACTORS, *own, *(["quick"] if quick else [])])


def prepare_actors(
    folder: Path,
    wanted: ActorsData | None = None,
    *,
    quick: bool = False,
    workers: int | None = None,
    on_progress: OnProgress = silent,
) -> Path:
    """``folder`` with `raw.store` and `labels.csv` (`segments.csv`) of the ``wanted`` sets; what is there is kept."""
    wanted = wanted or ActorsData()
    sizes, more = (wanted.quick, {}) if quick else (wanted.videos, wanted.more_test)
    record = {**wanted.model_dump(mode="json", include={"encoder", "clips", "stills"}), "videos": sizes}
    if more:
        record["more_test"] = more
    _claim(folder, record)
    if (folder / LABELS).is_file():
        return folder
    workers = workers or max(1, min(2, os.cpu_count() or 1))
    for task, size in sizes.items():
        write_dataset(
            folder / task,
            task=task,
            num_videos=size,
            more_test=more.get(task, 0),
            size=RENDER_SIZE,
            workers=workers,
            on_progress=on_progress,
        )
    report = run_extraction(
        [folder / task for task in sizes],
        folder / STORE,
        encoder=EncoderChoice(wanted.encoder, size=FRAME_SIZE),
        sampling=Sampling(clips=wanted.clips or "all", static_clips=wanted.stills),
        options=ExtractOptions(workers=workers, shard_videos=16),
        on_progress=lambda state: on_progress(Progress("encoding actors", state.num_done, state.num_videos)),
    )
    if report.failures:
        raise InputError(f"{folder} must hold videos that can be read, got: {report.failures[0].reason}.")
    _merge_tables(folder, list(sizes))
    return folder


def _claim(folder: Path, record: dict[str, object]) -> None:
    """Note how the folder is made, or make sure that it was made so."""
    path = folder / RECORD
    found = read_json(path, what="a record of actors") if path.is_file() else record
    if found != record:
        raise InputError(
            f"{folder} must hold the actors of this recipe, got others: {differences(found, record)}. Give another "
            "output folder, or remove that one."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(record, indent=2) + "\n")


def _merge_tables(folder: Path, tasks: list[str]) -> None:
    """Labels, segments and boxes of all sets beside the store, labels last: they say that the folder is whole."""
    found = [folder / task / SEGMENTS for task in tasks if (folder / task / SEGMENTS).is_file()]
    if found:
        segments = {video: known for path in found for video, known in read_segments(path).items()}
        write_segments(folder / SEGMENTS, segments)
    write_boxes(
        folder / BOXES,
        {video: known for task in tasks for video, known in read_boxes(folder / task / BOXES).items()},
    )
    merge_labels({task: Labels.read(folder / task / LABELS) for task in tasks}).write(folder / LABELS)
