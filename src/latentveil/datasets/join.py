"""Several sets as one, for recipes that learn from one set and grade on another; a column `set` tells them apart."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from latentveil.datasets.prepare import (
    LABELS,
    RECORD,
    SEGMENTS,
    VIDEOS,
    Written,
    claim,
    refuse_others,
    write_videos,
)
from latentveil.errors import InputError, UsageError
from latentveil.files.csv_files import read_rows
from latentveil.files.json_files import read_json
from latentveil.joined_labels import merge_labels
from latentveil.labels import Labels, Segment, read_segments, write_segments


def join(folders: Sequence[str | Path], directory: str | Path) -> Written:
    """Write labels, segments and list of videos of all ``folders`` of `prepare` to one folder for `veil extract`.

    A set is called as the data set that it was prepared from, or as ``name=folder`` says.
    """
    directory = Path(directory)
    places = _named(folders)
    refuse_others(directory)
    labels = {name: Labels.read(folder / LABELS) for name, folder in places.items()}
    _refuse_shared_keys(labels)
    segments: dict[str, list[Segment]] = {}
    files: dict[str, Path] = {}
    for folder in places.values():
        segments |= read_segments(folder / SEGMENTS) if (folder / SEGMENTS).is_file() else {}
        files |= _listed(folder)
    claim(directory, {"data_set": "+".join(places), "settings": {}})
    merged = merge_labels(labels)
    merged.write(directory / LABELS)
    written = [directory / LABELS]
    if segments:
        write_segments(directory / SEGMENTS, segments)
        written.append(directory / SEGMENTS)
    if files:
        written.append(write_videos(files, directory))
    return Written(written, len(merged.video), len(merged.video) - len(files))


def _named(folders: Sequence[str | Path]) -> dict[str, Path]:
    """The folders by the names of their sets."""
    found: dict[str, Path] = {}
    for given in folders:
        name, equals, path = str(given).partition("=")
        folder = Path(path if equals else given)
        if not (folder / RECORD).is_file():
            raise InputError(
                f"folders must be of `veil datasets prepare`, got {folder} without {RECORD}. Prepare it first."
            )
        if not equals:
            record = read_json(folder / RECORD, what="the record of a prepared set")
            name = str(record.get("data_set")) if isinstance(record, dict) else ""
        if name in found:
            raise UsageError(
                f"folders must have different names, got {name} for {found[name]} and {folder}. "
                "Give them as name=folder."
            )
        found[name] = folder
    if len(found) < 2:
        raise UsageError(f"folders must be two or more, got {len(found)}.")
    return found


def _refuse_shared_keys(labels: dict[str, Labels]) -> None:
    """A key is one video: sets that are cut from the same videos cannot be told apart in one store."""
    for one, two in combinations(labels, 2):
        both = sorted(set(labels[one].video.tolist()) & set(labels[two].video.tolist()))
        if both:
            raise InputError(
                f"every video must be of one set, got {both[0]!r} in {one} and {two}. Leave one out."
            )


def _listed(folder: Path) -> dict[str, Path]:
    """The files of a prepared set by key; none where only its labels were written."""
    if not (folder / VIDEOS).is_file():
        return {}
    here = folder.resolve()
    rows = read_rows(folder / VIDEOS, required=("video", "path"))
    return {row["video"]: Path(os.path.normpath(here / row["path"])) for row in rows}
