"""What a data set is: facts for whoever looks for one, and a reader that turns its files into labels and a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from latentveil.datasets.root import Finding, Root
from latentveil.errors import InputError, UsageError
from latentveil.labels import SPLITS, Labels, Segment
from latentveil.names import did_you_mean
from latentveil.plugins import Kind
from latentveil.progress import OnProgress, Progress, silent
from latentveil.wrong_values import wrong_value

VIDEOS_BETWEEN_NEWS = 1000
ALL = "all"


class DataSetSettings(BaseModel):
    """The options of a data set; one that has some makes its own subclass."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Row:
    """What is known of one video, its recording among the ``labels``; ``path`` is relative to the data set's folder."""

    video: str
    path: str
    split: str
    person: str | None = None
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set that was read: ``files`` is {video: path below its folder} for every video of ``labels``."""

    labels: Labels
    files: dict[str, str]
    segments: dict[str, list[Segment]] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Row], segments: dict[str, list[Segment]] | None = None) -> Prepared:
        """The same from one row per video, in the order of their keys."""
        ordered = sorted(rows, key=lambda row: row.video)
        for row, following in pairwise(ordered):
            if row.video == following.video:
                raise InputError(
                    f"every video must be listed once, got {row.video!r} for {row.path} and {following.path}."
                )
        names = list(ordered[0].labels) if ordered else []
        people = [row.person or "" for row in ordered]
        columns = {name: np.array([row.labels[name] for row in ordered], dtype=str) for name in names}
        labels = Labels(
            video=np.array([row.video for row in ordered], dtype=str),
            split=np.array([row.split for row in ordered], dtype=str),
            person=np.array(people, dtype=str) if any(people) else None,
            recording=columns.pop("recording", None),
            columns=columns,
        )
        return cls(labels, {row.video: row.path for row in ordered}, segments or {})


@dataclass(frozen=True)
class Check:
    """What is there: videos labelled, by split, and how many of them have a file; and what is wrong."""

    labelled: dict[str, int]
    present: int
    findings: list[Finding]


def _no_counts(_: Any) -> dict[str, int]:
    return {}


@dataclass(frozen=True)
class DataSet:
    """A data set: facts about it, and ``reader``, which makes `Prepared` of a folder and settings.

    ``task`` is what its labels are for, ``people`` what they tell of people, ``layout`` the files expected below the
    folder, ``counts`` how many videos each split of the complete set (or ``all`` of it) has under some settings.
    ``unverified`` are the facts among these that nobody has checked against their source.
    """

    name: str
    task: str
    about: str
    people: str
    size: str
    licence: str
    source: str
    layout: tuple[str, ...]
    reader: Callable[[Root, Any], Prepared]
    Settings: type[DataSetSettings] = DataSetSettings
    counts: Callable[[Any], dict[str, int]] = _no_counts
    unverified: tuple[str, ...] = ()

    def read(self, root: str | Path | Root, *, on_progress: OnProgress = silent, **settings: Any) -> Prepared:
        """Labels, segments and files of the data set in the folder ``root``; a missing label file is an error."""
        place = root if isinstance(root, Root) else Root(root, on_progress=on_progress)
        prepared = self.reader(place, self.settings(settings))
        if len(prepared.labels.video) == 0:
            raise InputError(f"{place.path} must hold the data set {self.name}, got no video of it.")
        return prepared

    def check(self, root: str | Path, *, on_progress: OnProgress = silent, **settings: Any) -> Check:
        """Count what is in the folder ``root``, and name what is missing, file by file."""
        chosen = self.settings(settings)
        place = Root(root, lenient=True, on_progress=on_progress)
        prepared = Prepared.from_rows([])
        try:
            prepared = self.reader(place, chosen)
        except InputError as error:
            place.complain("unreadable", "", str(error))
        missing = _missing_videos(place, prepared.files)
        labelled = {split: len(prepared.labels.videos(split)) for split in SPLITS}
        totals = labelled | {ALL: sum(labelled.values())}
        wrong = [
            Finding("wrong count", part, f"{part} must be {number} videos, got {totals[part]}.")
            for part, number in self.counts(chosen).items()
            if totals[part] != number
        ]
        present = len(prepared.files) - len(missing)
        return Check(labelled, present, [*place.findings, *wrong, *missing])

    def settings(self, changes: dict[str, Any]) -> DataSetSettings:
        """The data set's settings with some of them changed; values may be text."""
        known = self.Settings.model_fields
        for name in changes:
            if name not in known:
                raise UsageError(
                    f"settings of {self.name} must be among {', '.join(known) or 'none at all'}, got {name!r}."
                    + did_you_mean(name, known)
                )
        try:
            return self.Settings.model_validate(changes)
        except ValidationError as error:
            raise wrong_value(error) from error


def _missing_videos(root: Root, files: dict[str, str]) -> list[Finding]:
    """One finding for each video without a file, in the order of ``files``."""
    missing = []
    for number, (video, path) in enumerate(files.items(), start=1):
        if not root.has(path):
            missing.append(Finding("missing video", path, f"{video} must be at {path}, got no such file."))
        if number % VIDEOS_BETWEEN_NEWS == 0 or number == len(files):
            root.on_progress(Progress("looking for videos", number, len(files)))
    return missing


DATA_SETS: Kind[DataSet] = Kind("data set", "latentveil.datasets", DataSet)
