"""What `transport` reads of a release: passes over its parts, and little more in memory than a vector per video."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from latentveil.errors import InputError
from latentveil.methods.base import Parts
from latentveil.methods.releases.axes import with_fixed_signs
from latentveil.methods.releases.levelling import group_means
from latentveil.types import STATIC, TEMPORAL

# Of the variance of stills along their main axes (their eigenvalues, weighted by themselves).
STILL_FLOOR = 0.03
# How much more clips differ than stills, along the axis where they do the most, if the encoder sees movement.
LEAST_RATIO = 2.0


class Moments:
    """The running mean and scatter of rows, and of rows around the mean of their video."""

    def __init__(self, dim: int) -> None:
        self.count = self.num_videos = 0
        self._origin: np.ndarray | None = None
        self._sum = np.zeros(dim)
        self._outer = np.zeros((dim, dim))
        self._within = np.zeros((dim, dim))

    def add(self, rows: np.ndarray, owner: np.ndarray) -> None:
        """Rows (N, D), and the number (N,) of the video of each, from 0; no video may come again later."""
        if self._origin is None:  # numbers far from zero would lose digits when squared
            self._origin = rows.mean(axis=0)
        rows = rows - self._origin
        counts = np.bincount(owner)
        means = group_means(rows, owner, len(counts))
        self.count += len(rows)
        self.num_videos += int((counts > 0).sum())
        self._sum += rows.sum(axis=0)
        self._outer += rows.T @ rows
        self._within += rows.T @ rows - (means * counts[:, None]).T @ means

    @property
    def mean(self) -> np.ndarray:
        assert self._origin is not None
        return self._origin + self._sum / self.count

    @property
    def covariance(self) -> np.ndarray:
        mean = self._sum / self.count
        return self._outer / self.count - np.outer(mean, mean)

    @property
    def within(self) -> np.ndarray:
        """The covariance (D, D) of rows around the mean of their video."""
        return self._within / max(1, self.count - self.num_videos)

    def num_axes(self, wanted: int) -> int:
        """As many axes as are wanted, or as rows can tell apart."""
        return max(1, min(wanted, self.count - 1, len(self._sum)))

    def axes(self, count: int) -> np.ndarray:
        """The leading principal components (D, k), k at most ``count``."""
        dim, count = len(self._sum), self.num_axes(count)
        if count > dim // 4:
            found = np.linalg.eigh(self.covariance)[1][:, dim - count :]
        else:
            start = np.ones(dim)  # a fixed one: the same features give the same axes
            found = eigsh(self.covariance, k=count, v0=start)[1]
        return with_fixed_signs(found[:, ::-1])


def moving_axes(clips: Moments, stills: Moments, count: int) -> np.ndarray | None:
    """The axes (D, k), k at most ``count``, that clips differ along the most for how much stills do.

    Most of the variance of clips is what a still shows, too: places, people, clothes. Components by variance alone
    spend most axes on it, and the movement that tasks live on is lost before anything was hidden. None where clips
    hardly differ more than stills along any axis, as those of an encoder that looks at one frame after the other.
    """
    looks = stills.covariance
    floor = STILL_FLOOR * np.sum(looks**2) / np.trace(looks) if np.any(looks) else 1.0
    dim, count = len(looks), clips.num_axes(count)
    ratios, found = eigh(
        clips.covariance, looks + floor * np.eye(dim), subset_by_index=[dim - count, dim - 1]
    )
    return None if ratios[-1] < LEAST_RATIO else with_fixed_signs(np.linalg.qr(found[:, ::-1])[0])


@dataclass(frozen=True, eq=False)
class Contents:
    """What the first pass finds: ``moments`` of each kind, and how many ``clips`` each video has that has some.

    Of a video with several views, those of its longest view count.
    """

    moments: dict[str, Moments]
    clips: dict[str, int]


def read_contents(parts: Parts) -> Contents:
    """The first pass."""
    found: dict[str, Moments] = {}
    clips: dict[str, int] = {}
    for part in parts():
        for kind in (TEMPORAL, STATIC):
            chosen = part.of_kind(kind)
            if not len(chosen):
                continue
            names, owner = np.unique(chosen.video, return_inverse=True)
            rows = chosen.feature.astype(np.float64)
            if not np.isfinite(rows).all():
                raise InputError("feature must be finite, got NaN or infinite values. Check the encoder.")
            found.setdefault(kind, Moments(part.dim)).add(rows, owner)
            if kind == TEMPORAL:
                (of_video, _), counts = np.unique(np.stack([owner, chosen.view]), axis=1, return_counts=True)
                longest = np.zeros(len(names), dtype=np.int64)
                np.maximum.at(longest, of_video.astype(np.int64), counts)
                clips |= dict(zip(names.tolist(), longest.tolist()))
    if TEMPORAL not in found:
        raise InputError("features must have clips, got stills alone or nothing. Extract clips, too.")
    return Contents(found, clips)


def still_looks(parts: Parts, mean: np.ndarray, axes: np.ndarray) -> dict[str, np.ndarray]:
    """The mean still of each video that has some, in the ``axes`` (D, q) around ``mean`` (D,)."""
    found: dict[str, np.ndarray] = {}
    for part in parts():
        stills = part.of_kind(STATIC)
        videos, owner = np.unique(stills.video, return_inverse=True)
        looks = group_means((stills.feature.astype(np.float64) - mean) @ axes, owner, len(videos))
        found |= dict(zip(videos.tolist(), looks))
    return found
