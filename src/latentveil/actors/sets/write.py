"""Writing a data set to a folder: mp4 files (or png), labels.csv, segments.csv, boxes.csv and a contact sheet."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from latentveil.actors.description import Video
from latentveil.actors.rendering.boxes import boxes_of
from latentveil.actors.rendering.renderer import LARGEST, SMALLEST, render
from latentveil.actors.rendering.sheet import contact_sheet
from latentveil.actors.sets.bias import SETTINGS
from latentveil.actors.sets.tasks import describe
from latentveil.errors import InputError, UsageError
from latentveil.files.differences import differences
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole
from latentveil.labels import Labels, write_segments
from latentveil.progress import OnProgress, Progress, silent
from latentveil.seeds import require_seed
from latentveil.video.boxes import write_boxes
from latentveil.video.write import write_video

RECORD = "actors.json"
USUAL = {"more_test": 0}  # what a record leaves out
VERSION = 1
"""Goes up whenever the same seed gives other pixels or labels."""


def write_dataset(
    directory: str | Path,
    *,
    task: str = "action",
    num_videos: int | None = None,
    size: int = 224,
    seed: int = 0,
    more_test: int = 0,
    workers: int = 1,
    on_progress: OnProgress = silent,
) -> Path:
    """Write a data set and return its folder; files that an earlier, interrupted run wrote are kept.

    ``videos/<name>.mp4`` (``images/<name>.png`` for the task images), labels.csv, boxes.csv (where people, heads and
    faces are in each frame), contact_sheet.png, and where there are timed events segments.csv. A folder that holds
    another data set is refused. `veil extract` takes the folder as it is: it finds the videos by labels.csv. With
    ``more_test`` the test split has so many videos more, of other people; the others are the same without them.
    """
    if size % 2 or not SMALLEST <= size <= LARGEST:
        raise UsageError(f"size must be an even number from {SMALLEST} to {LARGEST}, got {size}.")
    require_seed(seed)
    if workers < 1:
        raise UsageError(f"workers must be at least 1, got {workers}.")
    videos = describe(task, num_videos=num_videos, seed=seed, more_test=more_test)
    directory, usual = Path(directory), len(videos) - more_test
    record: dict[str, int | str] = {
        "version": VERSION,
        "task": task,
        "num_videos": usual,
        "size": size,
        "seed": seed,
    }
    if more_test:
        record["more_test"] = more_test
    _claim(directory, record)
    jobs = [_Job(video, _target(directory, task, video), size) for video in videos]
    jobs = [job for job in jobs if not job.target.exists()]
    for job in jobs:
        job.target.parent.mkdir(parents=True, exist_ok=True)
    _run(jobs, workers=workers, on_progress=on_progress)
    _write_labels(directory, videos)
    write_boxes(directory / "boxes.csv", {video.name: boxes_of(video, size) for video in videos})
    sheet = contact_sheet(videos, title=f"actors · {task} · {len(videos)} {_folder(task)} · seed {seed}")
    Image.fromarray(sheet).save(directory / "contact_sheet.png")
    return directory


def labels_of(videos: Sequence[Video]) -> Labels:
    """The labels of some videos."""
    return Labels(
        video=np.array([video.name for video in videos]),
        split=np.array([video.split for video in videos]),
        person=np.array([video.person for video in videos]),
        columns={name: np.array([video.labels[name] for video in videos]) for name in videos[0].labels},
    )


@dataclass(frozen=True)
class _Job:
    video: Video
    target: Path
    size: int


def _folder(task: str) -> str:
    return "images" if task == "images" else "videos"


def _target(directory: Path, task: str, video: Video) -> Path:
    return directory / _folder(task) / f"{video.name}.{'png' if task == 'images' else 'mp4'}"


def _claim(directory: Path, record: dict[str, int | str]) -> None:
    """Note in the folder what it holds, or make sure that it is the same."""
    path = directory / RECORD
    if path.exists():
        found = read_json(path, what="a record of actors")
        if not isinstance(found, dict):
            raise InputError(f"{path} must be a record of actors, got another file. Choose another folder.")
        told = differences(USUAL | found, USUAL | record)
        if told:
            raise InputError(
                f"{directory} must hold the same data set: {told}. Choose another folder, or the same options."
            )
        return
    if any((directory / folder).exists() for folder in ("videos", "images")):
        raise InputError(
            f"{directory} must be a new folder, got one with other videos. Choose another folder."
        )
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(record, indent=2) + "\n")


def _write_labels(directory: Path, videos: Sequence[Video]) -> None:
    """labels.csv, segments.csv, and for the bias task one labels file per setting without the other's clips."""
    labels_of(videos).write(directory / "labels.csv")
    segments = {video.name: list(video.segments) for video in videos if video.segments}
    if segments:
        write_segments(directory / "segments.csv", segments)
    for column in SETTINGS:
        belonging = [video for video in videos if video.labels.get(column) == "1"]
        if belonging:
            labels_of(belonging).write(directory / f"labels_{column}.csv")


def _run(jobs: Sequence[_Job], *, workers: int, on_progress: OnProgress) -> None:
    for number, _ in enumerate(_finished(jobs, workers=workers), start=1):
        on_progress(Progress("rendering actors", number, len(jobs)))


def _finished(jobs: Sequence[_Job], *, workers: int) -> Iterator[None]:
    if workers == 1 or len(jobs) < 2:
        yield from map(_do, jobs)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_do, jobs, chunksize=4)


def _do(job: _Job) -> None:
    frames = render(job.video, job.size)
    if job.target.suffix == ".png":
        partial = job.target.with_suffix(".part")
        Image.fromarray(frames[0]).save(partial, format="png")
        partial.rename(job.target)
    else:
        write_video(job.target, frames, fps=job.video.fps)
