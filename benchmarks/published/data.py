"""The videos that adapters are trained on, and the stills of strangers that they are graded on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels

SOURCE = "wlasl100"  # the videos that adapters are trained on
# Attributes per set. Those of pictures are seven, as many as the graders of the papers have logits.
ATTRIBUTES = {
    "wlasl100": ("gender", "glasses"),
    "peta": ("gender", "over30", "black_upper", "longhair", "hat", "backpack", "jeans"),
    "utkface": ("gender", "over30", "group0", "group1", "group2", "group3", "child"),
}
# What the verdict is about: those with room between guessing and the raw score, and enough people of each kind.
JUDGED = {
    "wlasl100": ("gender",),
    "peta": ("gender", "over30", "black_upper"),
    "utkface": ("gender", "over30", "group0"),
}


@dataclass(frozen=True, eq=False)
class Videos:
    """Videos to train on: ``clips`` (V, T, D), ``stills`` (V, 2, D), ``action`` (V,) int, ``person`` (V,)."""

    clips: np.ndarray
    stills: np.ndarray
    action: np.ndarray
    person: np.ndarray

    def select(self, rows: np.ndarray) -> Videos:
        return Videos(self.clips[rows], self.stills[rows], self.action[rows], self.person[rows])

    def changed(self, change: Callable[[np.ndarray], np.ndarray]) -> Videos:
        """The same videos with every row (…, D) changed."""
        return replace(self, clips=change(self.clips), stills=change(self.stills))

    def with_pairs(self, pairs: np.ndarray) -> Videos:
        """Clips of these videos beside pairs (P, 2, D) of other stills; the shorter of the two is repeated."""
        rows = np.arange(max(len(self.action), len(pairs)))
        return replace(self.select(rows % len(self.action)), stills=pairs[rows % len(pairs)])


@dataclass(frozen=True, eq=False)
class Strangers:
    """Stills to grade on: ``feature`` (N, D), ``target`` (N, C), and ``video``, ``person``, ``split`` (N,)."""

    name: str
    feature: np.ndarray
    target: np.ndarray
    video: np.ndarray
    person: np.ndarray
    split: np.ndarray

    @property
    def attributes(self) -> tuple[str, ...]:
        return ATTRIBUTES[self.name]

    def few(self, count: int) -> Strangers:
        """A random ``count`` of the stills, to try the program."""
        rows = np.sort(np.random.default_rng(0).permutation(len(self.video))[:count])
        parts = {
            name: getattr(self, name)[rows] for name in ("feature", "target", "video", "person", "split")
        }
        return Strangers(self.name, **parts)


def load_videos(folder: Path, name: str) -> tuple[Videos, Videos]:
    """The videos of the training and validation people, and those of the test people, whom no adapter sees."""
    labels, rows = _read(folder, name)
    clips, stills = (_per_video(rows, labels.video, kind) for kind in ("temporal", "static"))
    action = np.unique(labels.column("action"), return_inverse=True)[1]
    assert labels.person is not None
    everything = Videos(clips, stills, action, labels.person)
    held_out = labels.split == "test"
    return everything.select(~held_out), everything.select(held_out)


def load_strangers(folder: Path, name: str) -> Strangers:
    """All stills of a set of which every attribute is known."""
    labels, rows = _read(folder, name)
    stills = rows["kind"] == "static"
    return join_strangers(name, labels, rows["video"][stills], rows["feature"][stills])


def join_strangers(name: str, labels: Labels, video: np.ndarray, feature: np.ndarray) -> Strangers:
    """The stills ``feature`` (N, D) of the labelled videos ``video`` (N,) whose attributes are all known.

    Where the labels name no people, every video shows another person.
    """
    columns = np.stack([labels.column(f"secret_{attribute}") for attribute in ATTRIBUTES[name]], axis=1)
    known = (columns != "").all(axis=1)
    place = {found: index for index, found in enumerate(labels.video.tolist())}
    of_video = np.array([place[found] for found in video.tolist()])
    keep = known[of_video]
    of_video = of_video[keep]
    person = labels.video if labels.person is None else labels.person
    return Strangers(
        name=name,
        feature=feature[keep],
        target=columns[of_video].astype(np.int64),
        video=labels.video[of_video],
        person=person[of_video],
        split=labels.split[of_video],
    )


def _read(folder: Path, name: str) -> tuple[Labels, dict[str, np.ndarray]]:
    """Labels, and the rows of the ready features of labelled videos as float32."""
    file = folder / "features" / f"{name}.npz"
    if not file.is_file():
        raise InputError(f"data must hold features/{name}.npz, got none in {folder}. Set LATENTVEIL_DATA.")
    labels = Labels.read(folder / name / "labels.csv")
    with np.load(file) as stored:
        rows = {column: stored[column] for column in ("video", "kind", "start_frame", "feature")}
    keep = np.isin(rows["video"], labels.video)
    rows = {column: values[keep] for column, values in rows.items()}
    labels = labels.only(np.unique(rows["video"]))
    return labels, rows | {"feature": rows["feature"].astype(np.float32)}


def _per_video(rows: dict[str, np.ndarray], videos: np.ndarray, kind: str) -> np.ndarray:
    """The rows of one kind as (V, T, D), in order of time; a video with fewer than the others has its last repeated."""
    of_kind = np.flatnonzero(rows["kind"] == kind)
    of_kind = of_kind[np.argsort(rows["start_frame"][of_kind], kind="stable")]
    by_video: dict[str, list[int]] = {video: [] for video in videos.tolist()}
    for row in of_kind.tolist():
        by_video[rows["video"][row]].append(row)
    most = max(map(len, by_video.values()))
    places = [found + found[-1:] * (most - len(found)) for found in by_video.values()]
    return rows["feature"][np.array(places)]  # (V, T, D)
