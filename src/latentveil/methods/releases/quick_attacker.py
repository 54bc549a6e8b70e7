"""A quick attacker: how well the groups of a release are told by whoever knows most of its videos.

He names the group of the other videos by the nearest video, the nearest mean or the directions in which the videos of a
group differ; by the last two also turned round. What levelling takes from a group is fitted to its own videos, so each
of them is left with less than others have in the directions of the rest.

He may have narrowed down whom he looks for, however many groups are in the release. So a group is told among a few
suspects: naming one of sixty is harder than naming one of ten, and is no less of a leak. And whoever has a group's
other videos as one pool, without a name, asks about their mean: what is too little to tell one video by adds up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from latentveil.methods.releases.levelling import group_means

SUSPECTS = (
    10  # groups among which one is told: as many as an attacker who knows more of a video may be left with
)
POOLED_GROUPS = 30  # of fewer, luck alone tells more of pools than may be told
LEAST_VIDEOS = 4  # of a group that is tried
FOLDS = 4  # each of which is named by whoever knows the others
DRAWS = 2  # of the noise and of the folds, over which the answers are averaged
DEALS = 3  # of groups that mean nothing: what is told of them is luck
BY_MEANS = (2, 3)  # of the ways to name a video, those by which pools are named, too
SHRINKAGE = 0.1  # of the covariance within groups, towards a multiple of the identity


@dataclass(frozen=True, eq=False)
class Attempt:
    """Videos (V, K) whose ``group`` (V,) is to be told, those with videos enough, numbered from 0.

    It is told among so many ``suspects``, of single videos and, where ``pooled``, of pools.
    """

    group: np.ndarray
    chosen: np.ndarray
    suspects: int
    pooled: bool

    @classmethod
    def of(cls, group: np.ndarray, *, narrowed: bool = True) -> Attempt | None:
        """None where fewer than two groups have videos enough; not ``narrowed``, single videos among all groups."""
        names, counts = np.unique(group, return_counts=True)
        chosen = np.isin(group, names[counts >= LEAST_VIDEOS])
        found = np.unique(group[chosen], return_inverse=True)[1]
        if not len(found) or found.max() == 0:
            return None
        count = int(found.max()) + 1
        suspects = min(SUSPECTS, count) if narrowed else count
        return cls(found, chosen, suspects, pooled=narrowed and count >= POOLED_GROUPS)

    def by_luck(self, videos: np.ndarray, factor: np.ndarray, *, random: np.random.Generator) -> float:
        """The most that is told of groups that are dealt anew, which mean nothing."""
        deals = [replace(self, group=random.permutation(self.group)) for _ in range(DEALS)]
        return max(deal.told(videos, factor, random=random) for deal in deals)

    @property
    def chance(self) -> float:
        return 1 / self.suspects

    def told(self, videos: np.ndarray, factor: np.ndarray, *, random: np.random.Generator) -> float:
        """The share of groups told above chance from the videos (V, K) with noise of the ``factor`` (K, R)."""
        shares = []
        for _ in range(DRAWS):
            noise = random.standard_normal((len(self.group), factor.shape[1])) @ factor.T
            shown = videos[self.chosen] + noise
            fold = _folds(self.group, random)
            shares += [
                named(shown, self.group, known=fold != one, suspects=self.suspects, pooled=self.pooled)
                for one in range(FOLDS)
            ]
        return max(0.0, float(np.mean(shares, axis=0).max()) - self.chance)


def _folds(group: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The fold of each video (V,), about as many of each in every group."""
    order = random.permutation(len(group))
    order = order[np.argsort(group[order], kind="stable")]
    fold = np.empty(len(group), dtype=np.int64)
    fold[order] = np.arange(len(group)) % FOLDS
    return fold


def named(
    videos: np.ndarray, group: np.ndarray, *, known: np.ndarray, suspects: int, pooled: bool = False
) -> np.ndarray:
    """The share of unknown videos (V, K) whose ``group`` (V,) is named rightly among ``suspects``, in six ways (6,).

    By the nearest video, and, where videos of a group have about variance 1, by the nearest video, the nearest and the
    farthest mean, and by the group along whose directions the video has the least, and the most. ``pooled``, also the
    share of groups named by the mean of all their unknown videos: by the nearest and the farthest mean (8,). All are
    means over groups, and over draws of the other suspects.
    """
    asked = group[~known]
    single, pools = [], []
    for way, scores in enumerate(group_scores(videos, group, known=known)):
        single.append(share_told(scores, asked, suspects=suspects))
        if pooled and way in BY_MEANS:
            # The mean of squared distances is that of the mean, but for what is the same.
            names, place = np.unique(asked, return_inverse=True)
            pools.append(share_told(group_means(scores, place, len(names)), names, suspects=suspects))
    return np.array(single + pools)


def group_scores(videos: np.ndarray, group: np.ndarray, *, known: np.ndarray) -> Iterator[np.ndarray]:
    """How unlike each group the unknown ones of the videos (V, K) are, in the ways of `named`: (N, C) each."""
    count, others = int(group.max()) + 1, group[known]
    rest = videos[known] - group_means(videos[known], others, count)[others]
    within = rest.T @ rest / len(rest)
    within += (SHRINKAGE * np.trace(within) / len(within) + np.finfo(np.float64).tiny) * np.eye(len(within))
    values, axes = np.linalg.eigh(within)
    whiten = axes / np.sqrt(values)
    white = videos @ whiten
    for shown in (videos, white):
        yield _nearest(_distances(shown[~known], shown[known]), others, count)
    to_means = _distances(white[~known], group_means(white[known], others, count))
    along = shares_along(white[~known] - white[known].mean(axis=0), rest @ whiten, others, count)
    for scores in (to_means, along):
        yield scores
        yield -scores


def share_told(scores: np.ndarray, own: np.ndarray, *, suspects: int) -> float:
    """How often the ``own`` group (N,) has the least of the scores (N, C) of it and ``suspects`` - 1 drawn others.

    The mean over all such draws, not over some of them: who is the least depends on how many others have less. A mean
    over groups; of equal scores the first is the least.
    """
    count = scores.shape[1]
    value = np.take_along_axis(scores, own[:, None], axis=1)
    first = (scores < value) | ((scores == value) & (np.arange(count) < own[:, None]))
    least = chance_of_least(count, suspects)[first.sum(axis=1)]
    size = np.maximum(np.bincount(own, minlength=count), 1)
    return float((np.bincount(own, least, minlength=count) / size)[np.unique(own)].mean())


def chance_of_least(count: int, suspects: int) -> np.ndarray:
    """Of ``count`` groups, the chance (count,) that none of the 0, 1, … that have less is among the suspects drawn."""
    others, less = count - 1, np.arange(count)
    chance = np.ones(count)
    for drawn in range(suspects - 1):
        chance *= np.maximum(others - less - drawn, 0) / (others - drawn)
    return chance


def shares_along(videos: np.ndarray, rest: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """The share (N, count) of the videos (N, K) that lies along the ``rest`` (M, K) of each ``group`` (M,)."""
    is_own = np.eye(count)[group]  # (M, count)
    size = np.square(rest).sum(axis=1) @ is_own
    return np.square(videos @ rest.T) @ is_own / np.maximum(size, np.finfo(np.float64).tiny)


def _nearest(distances: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """The least (N, count) of the distances (N, M) to the videos of each ``group`` (M,)."""
    order = np.argsort(group, kind="stable")
    names, first = np.unique(group[order], return_index=True)
    nearest = np.full((len(distances), count), np.inf)
    nearest[:, names] = np.minimum.reduceat(distances[:, order], first, axis=1)
    return nearest


def _distances(videos: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared distances (N, M) between rows (N, K) and (M, K), but for what is the same along a row."""
    return np.square(others).sum(axis=1) - 2 * videos @ others.T
