"""The vectors that `transport` moves: consecutive clips of a video side by side, of all videos or of a sample."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.methods.base import Parts
from latentveil.methods.releases.groups import Groups
from latentveil.methods.releases.levelling import GroupSums, group_means
from latentveil.types import TEMPORAL, FeatureSet

MAX_VIDEOS = 8_000  # in memory; of the others only the sums of their groups are
MAX_WINDOWS = 40_000

MoveWindows = Callable[[np.ndarray, np.ndarray], np.ndarray]  # windows (N, K) of the named videos (N,), moved


@dataclass(frozen=True, eq=False)
class Space:
    """Where vectors lie: ``window`` clips in the ``axes`` (D, k) around ``mean`` (D,), side by side."""

    mean: np.ndarray
    axes: np.ndarray
    window: int

    @property
    def size(self) -> int:
        return self.axes.shape[1] * self.window

    def windows(self, clips: np.ndarray) -> np.ndarray:
        """The windows (N, K) of a sequence of clips (T, D); the last clip stands in where the last one lacks some."""
        places = (clips.astype(np.float64) - self.mean) @ self.axes  # (T, k)
        number = -(-len(places) // self.window)
        chosen = np.minimum(np.arange(number * self.window), len(places) - 1)
        return places[chosen].reshape(number, -1)


@dataclass(frozen=True, eq=False)
class Windows:
    """Vectors (N, K) of videos that are numbered by ``video`` (N,), the ``names`` (V,) of these videos.

    ``sums`` are of the mean vectors of all videos that were read, for each grouping.
    """

    vector: np.ndarray
    video: np.ndarray
    names: np.ndarray
    sums: list[GroupSums]

    @property
    def video_means(self) -> np.ndarray:
        """The mean vector (V, K) of each video."""
        return self.mean_of_videos(self.vector)

    def mean_of_videos(self, vectors: np.ndarray) -> np.ndarray:
        """The mean (V, K) of each video of ``vectors`` (N, K) that stand for these."""
        return group_means(vectors, self.video, len(self.names))


def read_windows(
    parts: Parts,
    space: Space,
    videos: Sequence[str],
    groupings: Sequence[Groups],
    *,
    random: np.random.Generator,
) -> Windows:
    """One pass: the windows of the ``videos``, of a sample if there are very many, and the sums of their groups."""
    wanted = set(videos)
    chosen = set(random.permutation(np.array(videos, dtype=object))[:MAX_VIDEOS].tolist())
    most = max(1, MAX_WINDOWS // len(chosen))  # of one video
    sums = [GroupSums(np.zeros((groups.count, space.size)), np.zeros(groups.count)) for groups in groupings]
    vectors: list[np.ndarray] = []
    names: list[str] = []
    for part in parts():
        for video, windows in _windows_of(part, space, wanted).items():
            mean = windows.mean(axis=0)
            for groups, own in zip(groupings, sums):
                own.total[groups.of_video[video]] += mean
                own.count[groups.of_video[video]] += 1
            if video in chosen:
                kept = windows if len(windows) <= most else random.permutation(windows)[:most]
                vectors.append(kept)
                names += [video] * len(kept)
    known, number = np.unique(np.array(names), return_inverse=True)
    return Windows(np.concatenate(vectors), number, known, sums)


def sum_groups(
    parts: Parts, space: Space, videos: Sequence[str], groups: Groups, behind: MoveWindows
) -> GroupSums:
    """One pass: the sums of the groups of all ``videos``, of what ``behind`` makes of their windows."""
    wanted = set(videos)
    sums = GroupSums(np.zeros((groups.count, space.size)), np.zeros(groups.count))
    for part in parts():
        found = _windows_of(part, space, wanted)
        if not found:
            continue
        names, lengths = np.array(list(found)), [len(windows) for windows in found.values()]
        owner = np.repeat(np.arange(len(names)), lengths)
        moved = behind(np.concatenate(list(found.values())), names[owner])
        of_video = groups.numbers(names)
        np.add.at(sums.total, of_video, group_means(moved, owner, len(names)))
        np.add.at(sums.count, of_video, 1)
    return sums


def _windows_of(part: FeatureSet, space: Space, wanted: Container[str]) -> dict[str, np.ndarray]:
    """The windows (N, K) of each of the ``wanted`` videos in the part, of all its views."""
    found: dict[str, list[np.ndarray]] = {}
    for video, kind, _, rows in part.sequences():
        if kind == TEMPORAL and video in wanted:
            found.setdefault(video, []).append(space.windows(part.feature[rows]))
    return {video: np.concatenate(views) for video, views in found.items()}
