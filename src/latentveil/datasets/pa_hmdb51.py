"""PA-HMDB51: private attributes in every frame of 515 videos of HMDB51."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.hmdb51 import ACTIONS
from latentveil.datasets.root import Root
from latentveil.errors import InputError
from latentveil.labels import Segment
from latentveil.metrics.frame_metrics import label_frames

FRAME_RATE = 30.0
# What several people at once amount to; one gender noted as [0, 1] is the one that can be told.
SEVERAL: dict[str, dict[tuple[int, ...], int]] = {
    "skin_color": {(1, 2): 4, (1, 3): 4, (2, 3): 4, (1, 2, 3): 4},
    "gender": {(0, 1): 1, (0, 2): 2, (1, 2): 3},
}
ATTRIBUTES = ("skin_color", "relationship", "face", "nudity", "gender")

Range = tuple[int, int, int]


def _read(root: Root, _: DataSetSettings) -> Prepared:
    rows, segments = [], {}
    for action in ACTIONS:
        for video, attributes in _annotations(root, action):
            labels = {"action": action} | {
                f"secret_{name}": str(most_frequent(attributes[name])) for name in ATTRIBUTES
            }
            rows.append(Row(video, root.video(video, ending=".avi"), "test", labels=labels))
            segments[video] = sorted(
                (
                    Segment(first / FRAME_RATE, (last + 1) / FRAME_RATE, f"{name}={value}")
                    for name in ATTRIBUTES
                    for first, last, value in attributes[name]
                ),
                key=lambda segment: segment.start_seconds,
            )
    return Prepared.from_rows(rows, segments)


def most_frequent(ranges: list[Range]) -> int:
    """The value that most frames have, the smaller one of two; ranges are (first frame, last frame, value)."""
    num_frames = 1 + max(last for _, last, _ in ranges)
    frames = {
        value: label_frames([(a, b) for a, b, v in ranges if v == value], num_frames=num_frames).sum()
        for value in sorted({value for _, _, value in ranges})
    }
    return max(frames, key=lambda value: frames[value])


def _annotations(root: Root, action: str) -> Iterator[tuple[str, dict[str, list[Range]]]]:
    """The videos (``action/name``) of one file, each with the ranges of every attribute."""
    name = f"{action}.json"
    entries: dict[str, Any] = root.json(f"PrivacyAttributes/{name}", name)
    for file, entry in entries.items():
        try:
            ranges = {
                attribute: [_range(attribute, *item) for item in entry[attribute]] for attribute in ATTRIBUTES
            }
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{name}: {file!r} must have [first, last, value] for {', '.join(ATTRIBUTES)}, got: {error}."
            ) from error
        empty = [attribute for attribute, found in ranges.items() if not found]
        if empty:
            raise InputError(f"{name}: {file!r} must have a value for {empty[0]}, got none.")
        yield f"{action}/{PurePosixPath(file).stem}", ranges


def _range(attribute: str, first: Any, last: Any, value: Any) -> Range:
    """One range, several people's values made one."""
    if isinstance(value, list):
        known = SEVERAL.get(attribute, {})
        people = tuple(sorted(set(value)))
        value = people[0] if len(people) == 1 else known[people]
    return int(first), int(last), int(value)


data_set = DataSet(
    name="pa_hmdb51",
    task="privacy",
    about="PA-HMDB51: what can be seen of people in 515 videos of HMDB51, to test on only; ranges are in segments.csv.",
    people="skin colour, face, gender, nudity and relationship, as seen by annotators, frame by frame",
    size="515 videos",
    licence="see its repository; the clips are those of HMDB51",
    source="github.com/VITA-Group/PA-HMDB51",
    layout=("PrivacyAttributes/brush_hair.json …: 51 files", "brush_hair/NAME.avi …, those of HMDB51"),
    reader=_read,
    counts=lambda _: {"test": 515},
    unverified=("licence",),
)
