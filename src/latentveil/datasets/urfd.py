"""UR Fall Detection: falls and daily activities of one camera, with a posture for every frame."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment

FRAME_RATE = 30.0
NOT_LYING, FALLING, LYING = -1, 0, 1
SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}


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
        split=_stratified_split(is_fall, seed=seed),
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


def _stratified_split(is_fall: np.ndarray, *, seed: int) -> np.ndarray:
    """The split of each video (V,), drawn within falls and within daily activities."""
    random = np.random.default_rng(seed)
    split = np.empty(len(is_fall), dtype="<U5")
    for flag in (True, False):
        members = random.permutation(np.flatnonzero(is_fall == flag))
        borders = np.round(np.cumsum(list(SHARES.values())) * len(members)).astype(int)
        for name, part in zip(SHARES, np.split(members, borders[:-1])):
            split[part] = name
    return split
