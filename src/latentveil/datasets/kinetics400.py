"""Kinetics-400: actions, by the official CSV files or by lists of ``path label``."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.errors import InputError

FILES = {
    "train": ("train.csv", "*kinetics*400*train*.csv", "*k400*train*.csv"),
    "val": ("val.csv", "validate.csv", "*kinetics*400*val*.csv", "*k400*val*.csv"),
    "test": ("test.csv", "*kinetics*400*test*.csv", "*k400*test*.csv"),
}
COLUMNS = ("label", "youtube_id", "time_start", "time_end")


class KineticsSettings(DataSetSettings):
    """``validation_as`` is the split of the official validation part.

    The papers score on it, as ``test``, and leave the official test part alone; ``val`` takes all three as they are.
    """

    validation_as: Literal["test", "val"] = "test"


def _read(root: Root, settings: KineticsSettings) -> Prepared:
    splits = {"train": "train", "val": settings.validation_as}
    if settings.validation_as == "val":
        splits["test"] = "test"
    return Prepared.from_rows(row for part, split in splits.items() for row in _part(root, part, split))


def _part(root: Root, part: str, split: str) -> Iterator[Row]:
    """The videos of one part; the first line of its file tells which of the two forms it has."""
    lines = root.lines(*FILES[part])
    official = bool(lines) and lines[0].replace('"', "").startswith("label,youtube_id")
    return _official(root, lines, split) if official else _path_and_label(root, lines, split)


def _official(root: Root, lines: list[str], split: str) -> Iterator[Row]:
    """Rows of ``label,youtube_id,time_start,time_end,…``; the clip is called ``id_000010_000020``."""
    for row in csv.DictReader(lines):
        try:
            label, name, start, end = (row[column] for column in COLUMNS)
            video = f"{name}_{int(start):06d}_{int(end):06d}"
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"Kinetics-400: a row must have {', '.join(COLUMNS)}, got {row}.") from error
        yield Row(video, root.video(video, ending=".mp4"), split, labels={"action": label})


def _path_and_label(root: Root, lines: list[str], split: str) -> Iterator[Row]:
    """Lines of ``path label``; paths of another machine are looked for by name."""
    for line in lines:
        path, _, label = line.rpartition(" ")
        if not path:
            raise InputError(f"Kinetics-400: a line must be a path and a label, got {line!r}.")
        video = PurePosixPath(path).stem
        file = path if root.has(path) else root.video(video, ending=PurePosixPath(path).suffix)
        yield Row(video, file, split, labels={"action": label})


data_set = DataSet(
    name="kinetics400",
    task="action",
    about="Kinetics-400: 400 actions in ten-second clips of web videos.",
    people="not named",
    size="about 240,000 videos to train on and 20,000 for validation; copies differ, as videos leave the web",
    licence="annotations CC BY 4.0; the videos stay their uploaders'",
    source="github.com/cvdfoundation/kinetics-dataset",
    layout=(
        "train.csv, val.csv (test.csv): label,youtube_id,time_start,time_end,split,is_cc, or lines of `path label`",
        "YOUTUBEID_000010_000020.mp4 …, in any folder",
    ),
    reader=_read,
    Settings=KineticsSettings,
    unverified=("licence",),
)
