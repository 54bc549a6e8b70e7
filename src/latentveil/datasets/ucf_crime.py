"""UCF-Crime: the list of training videos and the timed annotations of the test videos."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared
from latentveil.datasets.root import Root
from latentveil.datasets.splits import draw_splits
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment

FRAME_RATE = 30.0
NORMAL = "Normal"
CLASSES = (
    *("Abuse", "Arrest", "Arson", "Assault", "Burglary", "Explosion", "Fighting"),
    *("RoadAccidents", "Robbery", "Shooting", "Shoplifting", "Stealing", "Vandalism"),
)
ANNOTATIONS = ("Temporal_Anomaly_Annotation.txt", "Temporal_Anomaly_Annotation*.txt")
HELD_OUT = {"val": 0.1, "train": 0.9}


@dataclass(frozen=True)
class AnnotatedVideo:
    """One line of the test annotations: ``events`` are (first frame, last frame), both included."""

    video: str
    label: str
    events: tuple[tuple[int, int], ...]


def _check_apart(train: list[str], test: list[AnnotatedVideo]) -> None:
    both = sorted(set(train) & {item.video for item in test})
    if both:
        raise InputError(f"train and test videos must differ, got {both[0]!r} in both lists.")


def _labels(train: list[str], test: list[AnnotatedVideo], *, seed: int) -> Labels:
    classes = np.array([class_of(video) for video in train] + [item.label for item in test], dtype=str)
    is_normal = classes == NORMAL
    normal_train = is_normal[: len(train)]
    held_out = draw_splits([normal_train, ~normal_train], seed=seed, shares=HELD_OUT)
    return Labels(
        video=np.array(train + [item.video for item in test], dtype=str),
        split=np.concatenate([held_out, np.full(len(test), "test")]),
        columns={"action": classes, "anomaly": np.where(is_normal, "0", "1")},
    )


def _segments(test: list[AnnotatedVideo]) -> dict[str, list[Segment]]:
    """The events in seconds; the last frame belongs to the event."""
    return {
        item.video: [
            Segment(first / FRAME_RATE, (last + 1) / FRAME_RATE, item.label) for first, last in item.events
        ]
        for item in test
        if item.events
    }


def class_of(video: str) -> str:
    """The class in a video's name, such as Abuse for ``Abuse001_x264``; ``Normal_Videos…`` are normal."""
    match = re.match(r"([A-Za-z]+)", video)
    name = match.group(1) if match else ""
    if name not in (*CLASSES, NORMAL):
        raise InputError(f"video must be named after a class of UCF-Crime, got {video!r}.")
    return name


def read_train_list(path: str | Path) -> list[str]:
    """The training videos of ``Anomaly_Train.txt``, one ``folder/video.mp4`` a line, without folder and ending."""
    videos = [PurePosixPath(line.strip()).stem for line in _lines(path)]
    if len(set(videos)) != len(videos):
        raise InputError(f"{path}: every video must be listed once, got one twice.")
    return videos


def read_test_annotations(path: str | Path) -> list[AnnotatedVideo]:
    """The test videos of ``Temporal_Anomaly_Annotation.txt``: video, class, and up to two events (-1 for none)."""
    found: dict[str, AnnotatedVideo] = {}
    for line in _lines(path):
        item = _parse_annotation(line, path)
        if item.video in found:
            raise InputError(f"{path}: every video must be annotated once, got {item.video!r} twice.")
        found[item.video] = item
    return list(found.values())


def _parse_annotation(line: str, path: str | Path) -> AnnotatedVideo:
    parts = line.split()
    try:
        name, label, *numbers = parts
        first_a, last_a, first_b, last_b = (int(number) for number in numbers)
    except ValueError as error:
        raise InputError(
            f"{path}: a line must be a video, a class and four frame numbers, got {line!r}."
        ) from error
    video = PurePosixPath(name).stem
    if class_of(video) != label:
        raise InputError(f"{path}: class must be that of the name, {class_of(video)}, got {line!r}.")
    pairs = ((first_a, last_a), (first_b, last_b))
    events = tuple(pair for pair in pairs if pair != (-1, -1))
    if any(not 0 <= first <= last for first, last in events):
        raise InputError(f"{path}: events must have 0 <= first frame <= last frame, got {line!r}.")
    if bool(events) != (label != NORMAL):
        raise InputError(f"{path}: anomalous videos must have an event and normal ones none, got {line!r}.")
    return AnnotatedVideo(video, label, events)


def _lines(path: str | Path) -> list[str]:
    """The lines of a file that are not blank."""
    try:
        lines = [line for line in Path(path).read_text().splitlines() if line.strip()]
    except FileNotFoundError as error:
        raise InputError(f"{path} must be a file of UCF-Crime, got nothing there.") from error
    if not lines:
        raise InputError(f"{path} must have at least one line, got none.")
    return lines


class UcfCrimeSettings(DataSetSettings):
    """``seed`` draws the validation videos: a tenth of the normal and of the anomalous training videos.

    These have no segments, so what is chosen on them is chosen by labels of whole videos.
    """

    seed: int = 0


def _read(root: Root, settings: UcfCrimeSettings) -> Prepared:
    train_list, annotations = root.need("Anomaly_Train.txt"), root.need(*ANNOTATIONS)
    train = [] if train_list is None else read_train_list(train_list)
    test = [] if annotations is None else read_test_annotations(annotations)
    _check_apart(train, test)
    labels = _labels(train, test, seed=settings.seed)
    files = {video: root.video(video, ending=".mp4") for video in labels.video.tolist()}
    return Prepared(labels, files, _segments(test))


data_set = DataSet(
    name="ucf_crime",
    task="anomaly",
    about="UCF-Crime: surveillance videos, 13 kinds of crime and normal days, events timed in the test videos.",
    people="not named",
    size="1,900 videos: 1,610 to train on (a tenth of them held out here as val), 290 to test on",
    licence="none stated; research use",
    source="www.crcv.ucf.edu/projects/real-world",
    layout=(
        "Anomaly_Train.txt: the training videos",
        "Temporal_Anomaly_Annotation.txt (or …_for_Testing_Videos.txt): the events of the test videos",
        "Abuse/Abuse001_x264.mp4 …, in any folder",
    ),
    reader=_read,
    Settings=UcfCrimeSettings,
    counts=lambda _: {"train": 1449, "val": 161, "test": 290},
    unverified=("licence",),
)
