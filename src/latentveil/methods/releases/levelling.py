"""The levelling of `transport` on one vector per video: what a group adds is taken away, a draw takes its place.

A video of group g is y = common mean + b_g + w. The mean of the group's n videos is b_g and the mean of n of the w, so
taking it away takes a little of the w, too, by which the videos that are left sum to nothing: whoever knows some of
them can tell the others. A draw with the spread of what was taken puts this right (METHODS 5.7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.methods.releases.axes import symmetric_root

RIDGE = 1e-3  # of the mean variance, so that directions in which nothing varies can be divided by
BLOCK_VIDEOS = 4_096  # that are compared with all centres at a time


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Directions in which videos of one group have variance 1 and groups differ by ``excess`` (K,) more than by chance.

    ``whiten`` (K, K) takes a vector there, ``colour`` (K, K) back. The excess is negative where groups differ less than
    chance makes them, as where everybody shows the same actions. The columns of ``turn`` (K, K) are these directions
    among those of the vector, whitened and not turned: where the excess is the same any directions will do, so that
    nothing is drawn along them.
    """

    whiten: np.ndarray
    colour: np.ndarray
    turn: np.ndarray
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
    """From ``residuals`` (V, K) within groups and the ``offsets`` (G, K) of groups of ``counts`` (G,) videos.

    The residuals may be those of a sample of these videos.
    """
    dim = residuals.shape[1]
    estimated = len(counts) * len(residuals) / counts.sum()  # of the means, what falls to the sample
    within = residuals.T @ residuals / max(1, len(residuals) - estimated)
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
    return Spectrum(inverse @ turned, turned.T @ root, turned, excess)


@dataclass(frozen=True, eq=False)
class Stretch:
    """The map y -> scale * y + (y @ source.T) @ target of (n, K), with ``source`` and ``target`` (R, K).

    A group's covariance is known in as many directions R as it has videos: in all others it is brought to the common
    one by one number. So maps take no more room than the videos do, however many groups there are.
    """

    scale: float
    source: np.ndarray
    target: np.ndarray

    def apply(self, videos: np.ndarray) -> np.ndarray:
        return self.scale * videos + videos @ self.source.T @ self.target

    def between(self, into: np.ndarray, back: np.ndarray) -> Stretch:
        """The map that goes ``into`` (K, K) other coordinates, is done there, and comes ``back`` (K, K)."""
        return Stretch(self.scale, self.source @ into.T, self.target @ back)


@dataclass(frozen=True, eq=False)
class Levelling:
    """y -> stretches[g].apply(y - means[g]) + placed[g] for a video of group g; ``common`` (K,) is the mean."""

    common: np.ndarray
    spectrum: Spectrum
    means: np.ndarray
    stretches: list[Stretch]
    placed: np.ndarray

    def apply(self, videos: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The videos (V, K) of the groups ``group`` (V,), transported."""
        output = np.empty_like(videos)
        for number in np.unique(group):
            own = group == number
            moved = self.stretches[number].apply(videos[own] - self.means[number])
            output[own] = moved + self.placed[number]
        return output

    def by_itself(self, *, strength: float, draw: float) -> tuple[np.ndarray, np.ndarray]:
        """The map (K, K) of a video that belongs to no group, as if to one of its own, and the factor of its noise."""
        gone, variance = self.spectrum.shares(1.0, strength=strength)
        whiten, colour = self.spectrum.whiten, self.spectrum.colour
        return whiten * (1 - gone) @ colour, draw * symmetric_root((colour.T * variance) @ colour)


@dataclass(frozen=True, eq=False)
class GroupSums:
    """The sum (G, K) of the videos of each group, and their number (G,): of all videos, however many there are."""

    total: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, videos: np.ndarray, group: np.ndarray) -> GroupSums:
        """From the videos (V, K) of the groups ``group`` (V,), numbered from 0."""
        count = np.bincount(group).astype(np.float64)
        return cls(group_means(videos, group, len(count)) * count[:, None], count)

    @property
    def common(self) -> np.ndarray:
        return self.total.sum(axis=0) / self.count.sum()

    @property
    def means(self) -> np.ndarray:
        """The mean (G, K) of each group, the common one for a group without videos."""
        found = self.total / np.maximum(self.count, 1)[:, None]
        return np.where(self.count[:, None] > 0, found, self.common)


def fit_levelling(
    videos: np.ndarray,
    group: np.ndarray,
    sums: GroupSums,
    *,
    cov: float,
    strength: float,
    draw: float,
    random: np.random.Generator,
) -> Levelling:
    """The levelling from ``videos`` (V, K) of the groups ``group`` (V,), all or a sample, and the ``sums`` of all.

    ``cov`` is the weight of a group's own covariance when it is brought to the common one; ``draw`` scales the draws,
    and 0 leaves them out.
    """
    counts, means, common = sums.count, sums.means, sums.common
    residuals = videos - means[group]
    used = counts > 0
    spectrum = find_spectrum(residuals, (means - common)[used], counts[used])
    nothing = np.zeros((0, videos.shape[1]))
    # 0 marks a group without videos, of which nothing is known: later videos of it are treated as strangers
    stretches = [Stretch(float(known), nothing, nothing) for known in used]
    placed = means.copy()
    for number in np.argsort(counts, kind="stable"):
        white = residuals[group == number] @ spectrum.whiten  # (n, K)
        if len(white) > 1 and cov > 0:
            aligned = _align(white, cov=cov)
            white = aligned.apply(white)
            stretches[number] = aligned.between(spectrum.whiten, spectrum.colour)
        if counts[number]:
            # videos that differ little tell as much of their group as more videos that differ
            gone, variance = spectrum.shares(counts[number] / spread_of(white), strength=strength)
            kept = (1 - gone) * ((means[number] - common) @ spectrum.whiten)
            drawn = draw_like(white @ spectrum.turn.T, counts[number], random) @ spectrum.turn
            fresh = draw * np.sqrt(variance) * drawn
            placed[number] = common + (kept + fresh) @ spectrum.colour
    return Levelling(common, spectrum, means, stretches, placed)


def draw_like(residuals: np.ndarray, count: float, random: np.random.Generator) -> np.ndarray:
    """A draw (K,) with the covariance of white ``residuals`` (n, K), as if one of ``count`` had it in all directions.

    The part that lies among the residuals has a fixed length, as theirs on average: a draw that is long or short by
    luck would give its group away. So would one that is longer than the videos of a group differ.
    """
    known, dim = residuals.shape
    drawn = random.standard_normal((dim,))
    if known > 1:
        drawn /= np.sqrt(count)
        weights = random.standard_normal((known,))
        weights -= weights.mean()
        residuals = residuals / np.sqrt(spread_of(residuals))
        drawn += np.sqrt((count - 1) / count) * (weights / np.linalg.norm(weights)) @ residuals
    return drawn


def spread_of(residuals: np.ndarray) -> float:
    """The variance of ``residuals`` (n, K) around their mean, over all directions; 1 where they do not tell."""
    known, dim = residuals.shape
    found = np.square(residuals).sum() / (max(1, known - 1) * dim)
    return float(found) if known > 1 and found > 0 else 1.0


def group_means(values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """The mean (count, K) of the rows of ``values`` (V, K) of each group; zeros for a group without rows."""
    sums = np.zeros((count, values.shape[1]))
    np.add.at(sums, group, values)
    return sums / np.maximum(np.bincount(group, minlength=count), 1)[:, None]


def nearest(values: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The number (V,) of the nearest of ``centres`` (M, K) to each of ``values`` (V, K)."""
    squares = (centres**2).sum(axis=1)
    found = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), BLOCK_VIDEOS):  # not all distances at once
        rows = slice(start, start + BLOCK_VIDEOS)
        found[rows] = (squares - 2 * values[rows] @ centres.T).argmin(axis=1)
    return found


def _align(white: np.ndarray, *, cov: float) -> Stretch:
    """The map that brings the covariance of white residuals (n, K), weighed by ``cov``, to the identity."""
    count = len(white)
    weight = cov * (count - 1) / count  # a group of few videos has a covariance of little worth
    _, values, axes = np.linalg.svd(white / np.sqrt(count - 1), full_matrices=False)
    axes = axes[values > 0]
    elsewhere = 1 / np.sqrt(1 - weight)
    along = 1 / np.sqrt(weight * np.square(values[values > 0]) + 1 - weight)
    return Stretch(elsewhere, axes, (along - elsewhere)[:, None] * axes)
