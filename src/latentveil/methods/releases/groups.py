"""Which videos of a release belong together: by a column of the labels, or by clusters of their stills, without labels.

Clusters are of what does not change within a video: stills are whitened by how they vary within videos, so that a hand
that moves counts for little and a face for much. They are cut from Ward's tree, of which one number of clusters is told
by stability: two clusterings of most of the videos must agree. No clustering is right, so several are made, from this
number to a finer one: the coarse ones keep what people do, the fine ones tell those apart who look alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score

from latentveil.arguments import argument
from latentveil.errors import InputError, UsageError
from latentveil.methods.base import with_stills
from latentveil.methods.releases.levelling import group_means, nearest
from latentveil.methods.releases.moments import Moments
from latentveil.notices import notify

STILLS, VIDEO = "stills", "video"  # groups that are no column of the labels
MAX_COMPONENTS = 128  # of the stills, in which looks are told from change
LOOK_AXES = 40  # directions in which videos are told apart by their looks
SHRINK = 0.1  # of the within-video covariance towards a multiple of the identity
VIDEOS_PER_CLUSTER = 16  # on average, at least: a group of few videos shows few actions, and loses them
NUM_COUNTS = 8  # numbers of clusters that are tried
NUM_PAIRS = 3  # pairs of clusterings that must agree, for each number
SHARE = 0.8  # of the videos in each of them
AS_STABLE = 0.02  # of agreement (adjusted Rand index) is lost or won by chance
FINEST = 2.8  # times the stable number of clusters are in the finest clustering
LEAST_VIDEOS = 3  # per cluster of the finest clustering, on average
MAX_VIDEOS = 4_000  # to cluster (their distances are in memory); the others join the nearest cluster
ROUTED = 0.95  # of a group's own videos are as near to it as a later one must be


@dataclass(frozen=True, eq=False)
class Looks:
    """The ``axes`` (D, q) around ``mean`` (D,) in which stills have variance 1 within a video, and videos differ."""

    mean: np.ndarray
    axes: np.ndarray

    @classmethod
    def find(cls, stills: Moments) -> Looks:
        """From the moments of the stills."""
        leading = stills.axes(MAX_COMPONENTS)  # (D, c)
        within, total = leading.T @ stills.within @ leading, leading.T @ stills.covariance @ leading
        dim = len(total)
        floor = SHRINK * max(np.trace(within), 1e-3 * np.trace(total)) / dim + np.finfo(np.float64).tiny
        values, axes = np.linalg.eigh((1 - SHRINK) * within + floor * np.eye(dim))
        white = axes / np.sqrt(np.maximum(values, floor * 1e-3))  # (D, D)
        _, turned = np.linalg.eigh(white.T @ total @ white)
        return cls(stills.mean, leading @ white @ turned[:, ::-1][:, : min(LOOK_AXES, dim)])


class Tree:
    """Ward's tree of the looks (V, q) of some videos, to be cut into any number of clusters."""

    def __init__(self, looks: np.ndarray) -> None:
        self.looks = looks
        self._joins = linkage(looks, "ward") if len(looks) > 1 else None

    def centres(self, count: int) -> np.ndarray:
        """The mean looks (M, q) of at most ``count`` clusters."""
        if self._joins is None:
            return self.looks
        number = np.unique(fcluster(self._joins, count, "maxclust"), return_inverse=True)[1]
        return group_means(self.looks, number, number.max() + 1)


def cluster_videos(looks: np.ndarray, counts: Sequence[int], *, seed: int) -> list[np.ndarray]:
    """For each of the ``counts``, the cluster (V,) of each video by its looks (V, q), one of at most so many."""
    tree = Tree(_some(looks, seed=seed))
    return [np.unique(nearest(looks, tree.centres(count)), return_inverse=True)[1] for count in counts]


def finer_counts(count: int, clusterings: int, *, num_videos: int) -> list[int]:
    """The numbers of clusters, from ``count`` to ``FINEST`` times as many."""
    most = max(count, num_videos // LEAST_VIDEOS)
    return [min(round(float(one)), most) for one in np.geomspace(count, FINEST * count, clusterings)]


def most_stable_count(looks: np.ndarray, *, seed: int) -> int:
    """The largest number of clusters for which clusterings of different videos agree as well as for any other.

    Coarse clusters agree well and join people who look alike: of numbers that are as good, the finest is the safest.
    """
    most = max(2, len(looks) // VIDEOS_PER_CLUSTER)
    least = max(2, int(np.sqrt(len(looks)) / 2))  # two or three clusters are stable and say nothing of people
    counts = sorted({round(float(count)) for count in np.geomspace(min(least, most), most, NUM_COUNTS)})
    if len(looks) < 2 * counts[0]:
        return 1
    found = stability(looks, counts, seed=seed)
    return counts[int(np.flatnonzero(found >= found.max() - AS_STABLE)[-1])]


def stability(looks: np.ndarray, counts: Sequence[int], *, seed: int) -> np.ndarray:
    """How well clusterings of ``SHARE`` of the videos agree on all of them, for each of the ``counts``; 1 is best."""
    random = np.random.default_rng(seed)
    share = max(2, int(SHARE * len(looks)))
    found = []
    for _ in range(NUM_PAIRS):
        trees = [Tree(looks[random.permutation(len(looks))[:share]]) for _ in range(2)]
        found.append(
            [
                adjusted_rand_score(*(nearest(looks, tree.centres(count)) for tree in trees))
                for count in counts
            ]
        )
    return np.mean(found, axis=0)


def routes(looks: np.ndarray, group: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where later videos are routed to: the mean looks (G, q) of each group, and how near a video must be, (G,)."""
    centres, radius = np.zeros((count, looks.shape[1])), np.zeros(count)
    for number in range(count):
        own = looks[group == number]
        if len(own):
            centres[number] = own.mean(axis=0)
            radius[number] = np.quantile(np.linalg.norm(own - centres[number], axis=1), ROUTED)
    alone = radius == 0
    if not alone.all():
        radius[alone] = np.median(radius[~alone])
    return centres, radius


def _some(looks: np.ndarray, *, seed: int) -> np.ndarray:
    return looks[np.random.default_rng(seed).permutation(len(looks))[:MAX_VIDEOS]]


@dataclass(frozen=True)
class GroupsWanted:
    """By each of the ``columns`` of the labels; where there are none, ``named`` is ``stills`` or ``video``.

    Of stills, ``clusterings`` are made, the coarsest of ``clusters`` (0: the most stable number).
    """

    named: str
    columns: tuple[str, ...]
    clusters: int
    clusterings: int
    seed: int


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each named video, numbered from 0, and the looks by which later videos are routed, if any."""

    of_video: dict[str, int]
    looks: Looks | None
    centres: np.ndarray
    radius: np.ndarray

    @property
    def count(self) -> int:
        return max(self.of_video.values()) + 1

    def numbers(self, videos: np.ndarray) -> np.ndarray:
        """The group (V,) of each of the videos."""
        return np.array([self.of_video[str(video)] for video in videos])


def find_groupings(
    wanted: GroupsWanted,
    columns: Mapping[str, Mapping[str, str]],
    looks: Looks | None,
    seen: dict[str, np.ndarray],
    *,
    names: Collection[str],
) -> list[Groups]:
    """The ways to group the videos ``names`` and those ``seen``, whose looks are known.

    ``columns`` are those of the labels, {column: {video: value}}; a video where one is blank is a group of its own.
    """
    videos = sorted({*names, *seen})
    if wanted.columns:
        return [_routed(_by_column(columns.get(name), videos, name), looks, seen) for name in wanted.columns]
    if looks is None or set(names) - set(seen):
        raise InputError(
            f"transport.groups must be a column of the labels where videos have no stills, got "
            f"{wanted.named!r}. {with_stills()}, or name a column as {argument('groups')}."
        )
    rows = np.stack([seen[video] for video in videos])
    count = wanted.clusters or most_stable_count(_some(rows, seed=wanted.seed), seed=wanted.seed)
    counts = finer_counts(count, wanted.clusterings, num_videos=len(rows))
    clusters = cluster_videos(rows, counts, seed=wanted.seed)
    return [_routed(dict(zip(videos, cluster.tolist())), looks, seen) for cluster in clusters]


def _routed(of_video: dict[str, int], looks: Looks | None, seen: dict[str, np.ndarray]) -> Groups:
    """The groups with the looks of each."""
    count = max(of_video.values()) + 1
    if count < 2:
        raise InputError(f"groups must be two or more, got {count}. Name a column that tells videos apart.")
    if looks is None or not seen:
        return Groups(of_video, None, np.zeros((0, 0)), np.zeros(0))
    shown = sorted(seen)
    numbers = np.array([of_video[video] for video in shown])
    return Groups(of_video, looks, *routes(np.stack([seen[video] for video in shown]), numbers, count))


def _by_column(column: Mapping[str, str] | None, videos: list[str], name: str) -> dict[str, int]:
    """Groups numbered in the order of their names, then videos without one."""
    if column is None:
        raise UsageError(
            f"labels must be given with a column {name!r} for transport.groups, got none. Add "
            f"{argument('labels', 'labels.csv')}, or take {argument('groups', STILLS)}, which needs none."
        )
    keys = [("named", column[video]) if column.get(video) else ("alone", video) for video in videos]
    alone = sum(kind == "alone" for kind, _ in keys)
    if alone:
        notify(f"{alone} of {len(videos)} videos have no {name!r}; each is a group of its own.")
    number = {key: index for index, key in enumerate(sorted(set(keys)))}
    return {video: number[key] for video, key in zip(videos, keys)}
