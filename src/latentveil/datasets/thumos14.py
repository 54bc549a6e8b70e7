"""THUMOS14: the JSON file of its detection annotations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared
from latentveil.datasets.root import Root
from latentveil.errors import InputError
from latentveil.files.json_files import read_json
from latentveil.labels import Labels, Segment

# Detectors are trained on the untrimmed videos of "validation"; some copies of the file call that part "train".
SPLIT_OF_SUBSET = {
    "train": "train",
    "training": "train",
    "validation": "train",
    "test": "test",
    "testing": "test",
}
# Known to be annotated wrongly (yjxiong/action-detection, issue 13).
FAULTY_VIDEOS = frozenset({"video_test_0000270", "video_test_0001292", "video_test_0001496"})


@dataclass(frozen=True)
class Thumos14:
    """The annotated videos: ``labels`` has their splits, ``segments`` what happens in them."""

    labels: Labels
    segments: dict[str, list[Segment]]


def read_thumos14(path: str | Path, *, keep_faulty: bool = False) -> Thumos14:
    """Read ``{"database": {video: {"subset", "annotations": [{"label", "segment": [start, end]}], ...}}}``.

    ``keep_faulty`` also gives the three test videos that are known to be annotated wrongly.
    """
    content = read_json(path, what="the JSON file of THUMOS14's annotations")
    try:
        entries = {
            video: entry
            for video, entry in content["database"].items()
            if keep_faulty or video not in FAULTY_VIDEOS
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f'{path} must be of the form {{"database": {{video: ...}}}}, got {error}.'
        ) from error
    videos = sorted(entries)
    return Thumos14(
        labels=Labels(
            video=np.array(videos, dtype=str),
            split=np.array([_split(path, video, entries[video]) for video in videos], dtype=str),
        ),
        segments={video: _segments(path, video, entries[video]) for video in videos},
    )


def _split(path: str | Path, video: str, entry: dict[str, Any]) -> str:
    subset = str(entry.get("subset")).lower()
    if subset not in SPLIT_OF_SUBSET:
        raise InputError(
            f"{path}: subset must be one of {', '.join(SPLIT_OF_SUBSET)}, got {subset!r} for {video!r}."
        )
    return SPLIT_OF_SUBSET[subset]


def _segments(path: str | Path, video: str, entry: dict[str, Any]) -> list[Segment]:
    """The segments of one video in time order; the file writes seconds as numbers or as text."""
    found = []
    for item in entry.get("annotations", []):
        try:
            start, end = map(float, item["segment"])
            found.append(Segment(start, end, item["label"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path}: annotations must have label and segment, got {item} of {video!r}."
            ) from error
    wrong = [segment for segment in found if not 0 <= segment.start_seconds < segment.end_seconds]
    if wrong:
        raise InputError(f"{path}: segments must have 0 <= start < end, got {wrong[0]} of {video!r}.")
    return sorted(found, key=lambda segment: segment.start_seconds)


class Thumos14Settings(DataSetSettings):
    """``keep_faulty`` keeps the three test videos that are known to be annotated wrongly."""

    keep_faulty: bool = False


def _read(root: Root, settings: Thumos14Settings) -> Prepared:
    path = root.need("thumos14.json", "thumos_gt.json", "thumos*.json")
    if path is None:
        return Prepared.from_rows([])
    thumos = read_thumos14(path, keep_faulty=settings.keep_faulty)
    files = {video: root.video(video, ending=".mp4") for video in thumos.labels.video.tolist()}
    return Prepared(thumos.labels, files, {video: found for video, found in thumos.segments.items() if found})


data_set = DataSet(
    name="thumos14",
    task="detection",
    about="THUMOS14: untrimmed sports videos with the times of 20 actions.",
    people="not named",
    size="413 videos with times: 200 to train on (called validation), 213 to test on",
    licence="none stated; research use, the videos stay their uploaders'",
    source="www.crcv.ucf.edu/THUMOS14",
    layout=(
        "thumos14.json (or thumos_gt.json): the annotations, in ActivityNet's form",
        "video_validation_0000051.mp4 …",
        "video_test_0000004.mp4 …",
    ),
    reader=_read,
    Settings=Thumos14Settings,
    counts=lambda settings: {"train": 200, "test": 213 if settings.keep_faulty else 210},
    unverified=(
        "licence",
        "213 test videos with the three faulty ones",
    ),
)
