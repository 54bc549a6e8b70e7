"""What `veil extract` and the labels' readers take, written from a data set as it came: labels, segments, videos."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latentveil.arguments import argument
from latentveil.datasets.base import DataSet, Prepared
from latentveil.datasets.root import Root
from latentveil.datasets.splits import hold_out
from latentveil.errors import InputError, UsageError
from latentveil.files.outputs import write_whole
from latentveil.labels import write_segments
from latentveil.progress import OnProgress, silent

RECORD = "dataset.json"
LABELS, SEGMENTS, VIDEOS = "labels.csv", "segments.csv", "videos.csv"
VAL_SHARE = 0.1  # of the training videos, where a set of actions comes without videos to choose on


@dataclass(frozen=True)
class Written:
    """What was written: the files, the videos that have labels there, and how many were left out without a file.

    ``num_held_out`` are training videos of the set that became validation videos.
    """

    files: list[Path]
    num_videos: int
    num_missing: int
    num_held_out: int = 0


def prepare(
    data_set: DataSet,
    root: str | Path,
    directory: str | Path,
    *,
    keep_missing: bool = False,
    val_share: float = VAL_SHARE,
    on_progress: OnProgress = silent,
    **settings: Any,
) -> Written:
    """Read the data set in ``root`` and write labels.csv, videos.csv and, where there are events, segments.csv.

    Videos without a file are left out; ``keep_missing`` writes their labels too, for features that one has already.
    Of a set of actions without validation videos, ``val_share`` of the training videos become such (0: none): heads and
    attacks are chosen on them. The folder must be new, or one that this function wrote before.
    """
    if not 0 <= val_share <= 0.5:
        raise UsageError(f"val_share must be from 0 to 0.5, got {val_share}.")
    directory = Path(directory)
    refuse_others(directory)
    place = Root(root, on_progress=on_progress)
    prepared = data_set.read(place, **settings)
    there = _with_files(prepared, place)
    num_missing = len(prepared.files) - len(there.files)
    if not there.files and not keep_missing:
        raise InputError(
            f"{root} must hold videos of {data_set.name}, got none of {num_missing}. Name the folder above them, or "
            f"use {argument('keep_missing', True)} to have the labels alone."
        )
    chosen = prepared if keep_missing else there
    kept = _with_validation(chosen, share=val_share)
    num_held_out = len(kept.labels.videos("val")) - len(chosen.labels.videos("val"))
    record = {"data_set": data_set.name, "settings": data_set.settings(settings).model_dump()}
    claim(directory, record | ({"val_share": val_share} if num_held_out else {}))
    files = write_prepared(kept, directory)
    if there.files:
        above = Path(root).resolve()
        files.append(write_videos({video: above / path for video, path in there.files.items()}, directory))
    return Written(files, len(kept.files), num_missing, num_held_out)


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


def _with_validation(prepared: Prepared, *, share: float) -> Prepared:
    """The same with validation videos, where a set of actions has none and ``share`` asks for some."""
    labels = prepared.labels
    if not share or "action" not in labels.columns or labels.videos("val") or not labels.videos("train"):
        return prepared
    return replace(prepared, labels=hold_out(labels, share=share))


def write_videos(files: Mapping[str, Path], directory: Path) -> Path:
    """Write the list of ``files``, absolute paths by key, as paths that work from ``directory``."""
    target, here = directory / VIDEOS, directory.resolve()
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["video", "path"])
        for video, path in files.items():
            writer.writerow([video, Path(os.path.relpath(path, here)).as_posix()])
    return target


def refuse_others(directory: Path) -> None:
    """Refuse a folder that holds something else: labels written by hand are not overwritten."""
    written_before = (directory / RECORD).exists()
    if not written_before and directory.exists() and any(directory.iterdir()):
        raise InputError(
            f"output must be a new folder or one that `veil datasets prepare` wrote, got {directory} with other "
            "files in it. Choose another folder."
        )


def claim(directory: Path, record: dict[str, Any]) -> None:
    """Make the folder ready: note what it holds, and take away what an earlier run left there."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in (LABELS, SEGMENTS, VIDEOS):
        (directory / name).unlink(missing_ok=True)
    write_whole(directory / RECORD, json.dumps(record, indent=2) + "\n")
