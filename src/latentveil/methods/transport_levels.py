"""The two levels of `transport` on one vector per video: what a group adds is taken away, and a draw takes its place.

A video of group g is y = common mean + b_g + w. The mean of the group's n videos is b_g and the mean of n of the w, so
taking it away takes a little of the w, too, by which the videos that are left sum to nothing: whoever knows some of
them can tell the others. A draw with the spread of what was taken puts this right (METHODS 5.7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

RIDGE = 1e-3  # of the mean variance, so that directions in which nothing varies can be divided by
MAX_CLUSTERED = 20_000  # more videos do not move the motion clusters


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Directions in which videos of one group have variance 1 and groups differ by ``excess`` (K,) more than by chance.

    ``whiten`` (K, K) takes a vector there, ``colour`` (K, K) back. The excess is negative where groups differ less than
    chance makes them, as where everybody shows the same actions.
    """

    whiten: np.ndarray
    colour: np.ndarray
    excess: np.ndarray

    def shares(self, count: float, *, strength: float) -> tuple[np.ndarray, np.ndarray]:
        """The share (K,) of a group's offset that goes, and the variance (K,) of the draw, of groups of ``count``.

        The best guess of b_g takes away B / (B + 1/n); ``strength`` multiplies B, to be on the safe side. The draw
        brings the variance of the group's mean to 1/n, that of n videos which have nothing in common.
        """
        between = strength * np.maximum(self.excess, 0)
        gone = between * count / (between * count + 1)
        left = (1 - gone) ** 2 * np.maximum(self.excess * count + 1, 0)
        return gone, np.maximum(1 - left, 0) / count


def find_spectrum(residuals: np.ndarray, offsets: np.ndarray, counts: np.ndarray) -> Spectrum:
    """From ``residuals`` (V, K) within groups and the ``offsets`` (G, K) of groups of ``counts`` (G,) videos."""
    dim = residuals.shape[1]
    within = residuals.T @ residuals / max(1, len(residuals) - len(counts))
    if not within.any():  # groups of one video each: all that differs may be the group's
        within = offsets.T @ offsets / max(1, len(offsets) - 1)
    within = within + (RIDGE * np.trace(within) / dim + np.finfo(np.float64).tiny) * np.eye(dim)
    values, axes = np.linalg.eigh(within)
    root = (axes * np.sqrt(values)) @ axes.T
    inverse = (axes / np.sqrt(values)) @ axes.T
    white = offsets @ inverse  # (G, K)
    total, freedom = counts.sum(), max(1, len(counts) - 1)
    size = (total - (counts**2).sum() / total) / freedom  # the typical number of videos of a group
    spread = (white * counts[:, None]).T @ white / freedom - np.eye(dim)
    excess, turned = np.linalg.eigh(spread / max(size, 1.0))
    return Spectrum(inverse @ turned, turned.T @ root, excess)


@dataclass(frozen=True, eq=False)
class LevelOne:
    """y -> (y - means[g]) @ maps[map_of_group[g]] + placed[g] for a video of group g; ``common`` (K,) is the mean."""

    common: np.ndarray
    spectrum: Spectrum
    means: np.ndarray
    maps: np.ndarray
    map_of_group: np.ndarray
    placed: np.ndarray

    def apply(self, videos: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The videos (V, K) of the groups ``group`` (V,), transported."""
        output = np.empty_like(videos)
        for number in np.unique(group):
            own = group == number
            moved = (videos[own] - self.means[number]) @ self.maps[self.map_of_group[number]]
            output[own] = moved + self.placed[number]
        return output


@dataclass(frozen=True, eq=False)
class LevelTwo:
    """Motion clusters with ``centres`` (M, K), and what is added to a video of a group in a cluster: (G, M, K)."""

    centres: np.ndarray
    added: np.ndarray

    def apply(self, videos: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The videos (V, K) after level one, moved."""
        if not len(self.centres):
            return videos
        return videos + self.added[group, nearest(videos, self.centres)]


def fit_level_one(
    videos: np.ndarray,
    group: np.ndarray,
    *,
    cov: float,
    strength: float,
    draw: float,
    random: np.random.Generator,
) -> LevelOne:
    """Level one for ``videos`` (V, K) of the groups ``group`` (V,), numbered from 0.

    ``cov`` is the weight of a group's own covariance when it is brought to the common one; ``draw`` scales the draws,
    and 0 leaves them out.
    """
    counts = np.bincount(group).astype(np.float64)
    means = group_means(videos, group, len(counts))
    common = videos.mean(axis=0)
    residuals = videos - means[group]
    spectrum = find_spectrum(residuals, means - common, counts)
    dim = videos.shape[1]
    maps, map_of_group = [np.eye(dim)], np.zeros(len(counts), dtype=np.int64)
    placed = np.empty_like(means)
    for number in np.argsort(counts, kind="stable"):
        white = residuals[group == number] @ spectrum.whiten  # (n, K)
        if len(white) > 1 and cov > 0:
            aligned = _align(white, cov=cov)
            white = white @ aligned
            map_of_group[number] = len(maps)
            maps.append(spectrum.whiten @ aligned @ spectrum.colour)
        gone, variance = spectrum.shares(counts[number], strength=strength)
        kept = (1 - gone) * ((means[number] - common) @ spectrum.whiten)
        fresh = draw * np.sqrt(variance) * draw_like(white, random)
        placed[number] = common + (kept + fresh) @ spectrum.colour
    return LevelOne(common, spectrum, means, np.stack(maps), map_of_group, placed)


def fit_level_two(
    rows: np.ndarray,
    group: np.ndarray,
    *,
    video: np.ndarray,
    clusters: int,
    strength: float,
    draw: float,
    random: np.random.Generator,
) -> LevelTwo:
    """Level two for ``rows`` (N, K) after level one: in a motion cluster, a group's mean moves to the cluster's.

    A ``video`` (N,), numbered from 0, may have several rows, as it has stills; all of one cluster count as one.
    """
    num_groups, dim = int(group.max()) + 1, rows.shape[1]
    clusters = min(clusters, len(rows) // 2)
    if clusters < 1:
        return LevelTwo(np.zeros((0, dim)), np.zeros((num_groups, 0, dim)))
    chosen = random.permutation(len(rows))[:MAX_CLUSTERED]
    found = KMeans(clusters, n_init=3, random_state=int(random.integers(2**31))).fit(rows[chosen])
    centres = found.cluster_centers_
    units, first, unit = np.unique(
        video * clusters + nearest(rows, centres), return_index=True, return_inverse=True
    )
    videos, group, cluster = group_means(rows, unit, len(units)), group[first], units % clusters
    cells, cell = np.unique(group * clusters + cluster, return_inverse=True)
    counts = np.bincount(cell).astype(np.float64)
    cluster_means = group_means(videos, cluster, clusters)
    means = group_means(videos, cell, len(cells))
    residuals = videos - means[cell]
    offsets = means - cluster_means[cells % clusters]  # (cells, K)
    spectrum = find_spectrum(residuals, offsets, counts)
    added = np.zeros((num_groups * clusters, dim))
    order = np.argsort(cell, kind="stable")
    parts = np.split(order, np.cumsum(counts.astype(int))[:-1])
    for number, own in enumerate(parts):
        gone, variance = spectrum.shares(counts[number], strength=strength)
        moved = -gone * (offsets[number] @ spectrum.whiten)
        fresh = draw * np.sqrt(variance) * draw_like(residuals[own] @ spectrum.whiten, random)
        added[cells[number]] = (moved + fresh) @ spectrum.colour
    return LevelTwo(centres, added.reshape(num_groups, clusters, dim))


def draw_like(residuals: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A draw (K,) with the covariance of white ``residuals`` (n, K) that sum to nothing, as if one more had variance 1.

    The part that lies among the residuals has a fixed length, as theirs on average: a draw that is long or short by
    luck would give its group away.
    """
    count, dim = residuals.shape
    drawn = random.standard_normal(dim) / np.sqrt(count)
    if count > 1:
        weights = random.standard_normal((count,))
        weights -= weights.mean()
        drawn += np.sqrt((count - 1) / count) * (weights / np.linalg.norm(weights)) @ residuals
    return drawn


def group_means(values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """The mean (count, K) of the rows of ``values`` (V, K) of each group; zeros for a group without rows."""
    sums = np.zeros((count, values.shape[1]))
    np.add.at(sums, group, values)
    return sums / np.maximum(np.bincount(group, minlength=count), 1)[:, None]


def nearest(values: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The number (V,) of the nearest of ``centres`` (M, K) to each of ``values`` (V, K)."""
    return ((centres**2).sum(axis=1) - 2 * values @ centres.T).argmin(axis=1)


def _align(white: np.ndarray, *, cov: float) -> np.ndarray:
    """The map (K, K) that brings the covariance of white residuals (n, K), weighed by ``cov``, to the identity."""
    count = len(white)
    weight = cov * (count - 1) / count  # a group of few videos has a covariance of little worth
    mixed = weight * (white.T @ white / (count - 1)) + (1 - weight) * np.eye(white.shape[1])
    values, axes = np.linalg.eigh(mixed)
    return (axes / np.sqrt(values)) @ axes.T
