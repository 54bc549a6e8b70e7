"""UR Fall Detection: falls and daily activities of one camera, with a posture for every frame."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import numpy as np

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared
from latentveil.datasets.root import Root
from latentveil.datasets.splits import draw_splits
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment

FRAME_RATE = 30.0
NOT_LYING, FALLING, LYING = -1, 0, 1


def read_urfd(path: str | Path, *, seed: int) -> tuple[Labels, dict[str, list[Segment]]]:
    """Labels and segments from ``frames.csv`` (video, frame from 1, posture -1 upright, 0 on the way, 1 lying).

    Labels: ``action`` is fall or adl, ``anomaly`` 1 for falls; the people are not known, so the splits are drawn by
    ``seed`` over videos, with the same share of falls in each. Segments: in a fall, ``fall`` is the way down and
    ``lying`` the time on the floor after it, and both count as the anomaly, because help is needed until somebody
    comes. In daily activities, where people lie down on purpose and get up again, the same postures are ``lie_down``
    and ``lying``; the videos stay normal.
    """
    postures = _read_postures(path)
    videos = sorted(postures)
    is_fall = np.array([_is_fall(video) for video in videos])
    labels = Labels(
        video=np.array(videos),
        split=draw_splits([is_fall, ~is_fall], seed=seed),
        columns={"action": np.where(is_fall, "fall", "adl"), "anomaly": np.where(is_fall, "1", "0")},
    )
    segments = {video: _segments(video, frames) for video, frames in postures.items()}
    return labels, {video: found for video, found in segments.items() if found}


def _read_postures(path: str | Path) -> dict[str, dict[int, int]]:
    """The posture of every annotated frame (from 1) of every video."""
    postures: dict[str, dict[int, int]] = {}
    try:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                postures.setdefault(row["video"], {})[int(row["frame"])] = int(row["posture"])
    except FileNotFoundError as error:
        raise InputError(f"{path} must be the frames.csv of UR Fall Detection, got nothing there.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} must have the columns video, frame, posture with whole numbers, got {row}."
        ) from error
    if not postures:
        raise InputError(f"{path} must have at least one row, got none.")
    return postures


def _is_fall(video: str) -> bool:
    kind = video.split("-")[0]
    if kind not in ("fall", "adl"):
        raise InputError(f"video must be named fall-… or adl-…, got {video!r}.")
    return kind == "fall"


def _segments(video: str, postures: dict[int, int]) -> list[Segment]:
    """Runs of frames of one posture other than upright; a missing frame ends a run."""
    names = {FALLING: "fall" if _is_fall(video) else "lie_down", LYING: "lying"}
    frames = sorted(postures)
    # Frames that follow each other differ from their rank by the same number.
    runs = groupby(enumerate(frames), key=lambda item: (postures[item[1]], item[1] - item[0]))
    segments = []
    for (posture, _), run in runs:
        members = [frame for _, frame in run]
        if posture != NOT_LYING:
            segments.append(Segment((members[0] - 1) / FRAME_RATE, members[-1] / FRAME_RATE, names[posture]))
    return segments


class UrfdSettings(DataSetSettings):
    """``seed`` draws the splits."""

    seed: int = 0


def _read(root: Root, settings: UrfdSettings) -> Prepared:
    path = root.need("frames.csv")
    if path is None:
        return Prepared.from_rows([])
    labels, segments = read_urfd(path, seed=settings.seed)
    return Prepared(
        labels, {video: root.video(video, ending=".mp4") for video in labels.video.tolist()}, segments
    )


data_set = DataSet(
    name="urfd",
    task="anomaly",
    about="UR Fall Detection: falls and daily activities in a room, with the posture in every frame.",
    people="not named",
    size="70 videos of one camera: 30 falls, 40 daily activities",
    licence="CC BY-NC-SA 4.0: not for commerce",
    source="fenix.ur.edu.pl/~mkepski/ds/uf.html",
    layout=("frames.csv with the columns video, frame, posture", "fall-01-cam0.mp4 … adl-40-cam0.mp4"),
    reader=_read,
    Settings=UrfdSettings,
    counts=lambda _: {"train": 42, "val": 14, "test": 14},
    unverified=("licence",),
)
