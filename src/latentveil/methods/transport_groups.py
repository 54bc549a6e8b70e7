"""Which videos of a release belong together: by a column of the labels, or by clusters of their stills, without labels.

Clusters are of what does not change within a video: stills are whitened by how they vary within videos, so that a hand
that moves counts for little and a face for much. How many clusters there are is told by stability: two clusterings of
most of the videos must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from latentveil.methods.transport_levels import nearest
from latentveil.methods.transport_moments import Moments

MAX_COMPONENTS = 128  # of the stills, in which looks are told from change
LOOK_AXES = 20  # directions in which videos are told apart by their looks
SHRINK = 0.1  # of the within-video covariance towards a multiple of the identity
VIDEOS_PER_CLUSTER = 16  # on average, at least: a group of few videos shows few actions, and loses them
NUM_COUNTS = 8  # numbers of clusters that are tried
NUM_PAIRS = 3  # pairs of clusterings that must agree, for each number
SHARE = 0.8  # of the videos in each of them
MAX_VIDEOS = 5_000  # to cluster; the others join the nearest cluster
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


def cluster_videos(looks: np.ndarray, *, count: int = 0, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The cluster (V,) of each video by its looks (V, q), and the centres (k, q); ``count`` 0 asks stability."""
    random = np.random.default_rng(seed)
    chosen = looks[random.permutation(len(looks))[:MAX_VIDEOS]]
    count = count or most_stable_count(chosen, seed=seed)
    centres = _centres(chosen, min(count, len(chosen)), seed=seed)
    cluster = nearest(looks, centres)
    used, cluster = np.unique(cluster, return_inverse=True)
    return cluster, centres[used]


def most_stable_count(looks: np.ndarray, *, seed: int) -> int:
    """The number of clusters for which clusterings of different videos agree best (adjusted Rand index)."""
    most = max(2, len(looks) // VIDEOS_PER_CLUSTER)
    least = max(2, int(np.sqrt(len(looks)) / 2))  # two or three clusters are stable and say nothing of people
    counts = sorted({round(float(count)) for count in np.geomspace(min(least, most), most, NUM_COUNTS)})
    if len(looks) < 2 * counts[0]:
        return 1
    return max(counts, key=lambda count: stability(looks, count, seed=seed))


def stability(looks: np.ndarray, count: int, *, seed: int) -> float:
    """How well pairs of clusterings of ``SHARE`` of the videos agree on all of them, 1 where they are the same."""
    random = np.random.default_rng(seed)
    found = []
    for pair in range(NUM_PAIRS):
        labels = []
        for half in range(2):
            rows = random.permutation(len(looks))[: max(count, int(SHARE * len(looks)))]
            labels.append(nearest(looks, _centres(looks[rows], count, seed=seed + 2 * pair + half)))
        found.append(adjusted_rand_score(*labels))
    return float(np.mean(found))


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


def _centres(looks: np.ndarray, count: int, *, seed: int) -> np.ndarray:
    return KMeans(count, n_init=4, random_state=seed).fit(looks).cluster_centers_
