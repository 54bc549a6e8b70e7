"""What `veil extract` and the labels' readers take, written from a data set as it came: labels, segments, videos."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latentveil.arguments import argument
from latentveil.datasets.base import DataSet, Prepared
from latentveil.datasets.root import Root
from latentveil.errors import InputError
from latentveil.files.outputs import write_whole
from latentveil.labels import write_segments
from latentveil.progress import OnProgress, silent

RECORD = "dataset.json"
LABELS, SEGMENTS, VIDEOS = "labels.csv", "segments.csv", "videos.csv"


@dataclass(frozen=True)
class Written:
    """What was written: the files, the videos that have labels there, and how many were left out without a file."""

    files: list[Path]
    num_videos: int
    num_missing: int


def prepare(
    data_set: DataSet,
    root: str | Path,
    directory: str | Path,
    *,
    keep_missing: bool = False,
    on_progress: OnProgress = silent,
    **settings: Any,
) -> Written:
    """Read the data set in ``root`` and write labels.csv, videos.csv and, where there are events, segments.csv.

    Videos without a file are left out; ``keep_missing`` writes their labels too, for features that one has already.
    The folder must be new, or one that this function wrote before.
    """
    directory = Path(directory)
    _refuse_others(directory)
    place = Root(root, on_progress=on_progress)
    prepared = data_set.read(place, **settings)
    there = _with_files(prepared, place)
    num_missing = len(prepared.files) - len(there.files)
    if not there.files and not keep_missing:
        raise InputError(
            f"{root} must hold videos of {data_set.name}, got none of {num_missing}. Name the folder above them, or "
            f"use {argument('keep_missing', True)} to have the labels alone."
        )
    kept = prepared if keep_missing else there
    _claim(directory, {"data_set": data_set.name, "settings": data_set.settings(settings).model_dump()})
    files = write_prepared(kept, directory)
    if there.files:
        files.append(_write_videos(there.files, Path(root), directory))
    return Written(files, len(kept.files), num_missing)


def write_prepared(prepared: Prepared, directory: Path) -> list[Path]:
    """Write labels.csv and, where there are events, segments.csv; the files written."""
    prepared.labels.write(directory / LABELS)
    if not prepared.segments:
        return [directory / LABELS]
    write_segments(directory / SEGMENTS, prepared.segments)
    return [directory / LABELS, directory / SEGMENTS]


def _with_files(prepared: Prepared, root: Root) -> Prepared:
    """The part of the data set whose files are there."""
    files = {video: path for video, path in prepared.files.items() if root.has(path)}
    segments = {video: found for video, found in prepared.segments.items() if video in files}
    return Prepared(prepared.labels.only(files), files, segments)


def _write_videos(files: dict[str, str], root: Path, directory: Path) -> Path:
    """Write the list of files with paths that work from ``directory``."""
    target = directory / VIDEOS
    up = Path(os.path.relpath(root.resolve(), directory.resolve()))
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["video", "path"])
        writer.writerows([video, (up / path).as_posix()] for video, path in files.items())
    return target


def _refuse_others(directory: Path) -> None:
    """Refuse a folder that holds something else: labels written by hand are not overwritten."""
    written_before = (directory / RECORD).exists()
    if not written_before and directory.exists() and any(directory.iterdir()):
        raise InputError(
            f"output must be a new folder or one that `veil datasets prepare` wrote, got {directory} with other "
            "files in it. Choose another folder."
        )


def _claim(directory: Path, record: dict[str, Any]) -> None:
    """Make the folder ready: note what it holds, and take away what an earlier run left there."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in (LABELS, SEGMENTS, VIDEOS):
        (directory / name).unlink(missing_ok=True)
    write_whole(directory / RECORD, json.dumps(record, indent=2) + "\n")
