"""PA-HMDB51: private attributes in every frame of 515 videos of HMDB51."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.hmdb51 import ACTIONS, read_split
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

# As attributes of VISPR1, by which the papers' graders of pictures are read on these frames: can it be seen?
AS_VISPR1: dict[str, tuple[str, Callable[[int], bool]]] = {
    "a17_color": ("skin_color", lambda value: value > 0),
    "a4_gender": ("gender", lambda value: value > 0),
    "a9_face_complete": ("face", lambda value: value == 2),
    "a10_face_partial": ("face", lambda value: value == 1),
    "a12_semi_nudity": ("nudity", lambda value: value == 2),
    "a64_rel_personal": ("relationship", lambda value: value == 1),
}

Range = tuple[int, int, int]
Ranges = dict[str, list[Range]]


class PaHmdb51Settings(DataSetSettings):
    """``split`` adds the training videos of a split of HMDB51 that are not among the 515 (0: none), to learn actions.

    ``attributes``: the annotators' own classes, or six attributes of VISPR1, 1 where they can be seen.
    """

    split: int = Field(0, ge=0, le=3)
    attributes: Literal["own", "vispr1"] = "own"


def _read(root: Root, settings: PaHmdb51Settings) -> Prepared:
    rows, segments = [], {}
    for action in ACTIONS:
        for video, ranges in _annotations(root, action):
            attributes = ranges if settings.attributes == "own" else as_vispr1(ranges)
            labels = {"action": action} | {
                f"secret_{name}": str(most_frequent(found)) for name, found in attributes.items()
            }
            rows.append(Row(video, root.video(video, ending=".avi"), "test", labels=labels))
            segments[video] = sorted(
                (
                    Segment(first / FRAME_RATE, (last + 1) / FRAME_RATE, f"{name}={value}")
                    for name, found in attributes.items()
                    for first, last, value in found
                ),
                key=lambda segment: segment.start_seconds,
            )
    if settings.split and rows:
        rows += _training_rows(root, settings.split, rows)
    return Prepared.from_rows(rows, segments)


def as_vispr1(ranges: Ranges) -> Ranges:
    """The ranges of six attributes of VISPR1, each 0 or 1."""
    return {
        name: [(first, last, int(is_seen(value))) for first, last, value in ranges[own]]
        for name, (own, is_seen) in AS_VISPR1.items()
    }


def _training_rows(root: Root, split: int, annotated: list[Row]) -> Iterator[Row]:
    """The training videos of HMDB51 that nobody annotated: their secrets are blank."""
    known = {row.video for row in annotated}
    blank = dict.fromkeys(annotated[0].labels, "")
    for video, part in read_split(root, split).items():
        if part == "train" and video not in known:
            labels = blank | {"action": video.split("/")[0]}
            yield Row(video, root.video(video, ending=".avi"), "train", labels=labels)


def most_frequent(ranges: list[Range]) -> int:
    """The value that most frames have, the smaller one of two; ranges are (first frame, last frame, value)."""
    num_frames = 1 + max(last for _, last, _ in ranges)
    frames = {
        value: label_frames([(a, b) for a, b, v in ranges if v == value], num_frames=num_frames).sum()
        for value in sorted({value for _, _, value in ranges})
    }
    return max(frames, key=lambda value: frames[value])


def _annotations(root: Root, action: str) -> Iterator[tuple[str, Ranges]]:
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
    about="PA-HMDB51: what can be seen of people in 515 videos of HMDB51, to test on; ranges are in segments.csv.",
    people="skin colour, face, gender, nudity and relationship, as seen by annotators, frame by frame",
    size="515 videos",
    licence="see its repository; the clips are those of HMDB51",
    source="github.com/VITA-Group/PA-HMDB51",
    layout=(
        "PrivacyAttributes/brush_hair.json …: 51 files",
        "brush_hair/NAME.avi …, those of HMDB51",
        "with split=1 (2, 3) also testTrainMulti_7030_splits/brush_hair_test_split1.txt …, as of HMDB51",
    ),
    reader=_read,
    Settings=PaHmdb51Settings,
    counts=lambda _: {"test": 515},
    unverified=(
        "licence",
        "which values count as attributes of VISPR1: the file that the papers read was never published",
    ),
)
