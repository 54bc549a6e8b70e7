"""What the clips of a video do together: how far they lie apart, and where they move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.arrays import number_in_group
from latentveil.attacks.knowledge import video_means
from latentveil.attacks.preprocess import principal_axes

# The spread is told along at most this many directions, those in which clips of a video differ most.
MAX_DIRECTIONS = 128
# Share of the mean variance that is added before a logarithm is taken: some clips of a video may be equal.
LEAST_VARIANCE = 1e-4
# Clips that differ by less than this share of their size are equal but for rounding.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class CourseOfClips:
    """How to look at the clips of a video: along ``axes`` (D, K), beside their ``typical`` spread (2 K,).

    Every look takes features (N, D), a video's clips in the order of time, and videos (N,); it gives the sorted videos
    (V,) and a row for each. A single clip has no spread, and is given what is typical.
    """

    axes: np.ndarray
    typical: np.ndarray

    def spread(self, feature: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far clips lie from their mean, and from the clip before, as logarithms: (V, 2 K)."""
        videos, squared = _squared_spread(feature @ self.axes, video)
        squared = np.where(np.isnan(squared), self.typical, squared)
        return videos, (0.5 * np.log(squared + LEAST_VARIANCE * self.typical)).astype(np.float32)

    def trend(self, feature: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far the line through a video's clips goes from the first to the last: (V, D)."""
        _, place, counts = np.unique(video, return_inverse=True, return_counts=True)
        number = number_in_group(video) - (counts[place] - 1) / 2  # (N,) of mean 0 in every video
        videos, together = video_means(feature * number[:, None].astype(np.float32), video)
        squares = (np.square(counts) - 1) / 12  # the mean of number squared
        return videos, together * ((counts - 1) / np.maximum(squares, 0.25))[:, None].astype(np.float32)

    def everything(self, feature: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean, the spread and the trend side by side: (V, 2 D + 2 K)."""
        looks = [look(feature, video) for look in (video_means, self.spread, self.trend)]
        return looks[0][0], np.concatenate([rows for _, rows in looks], axis=1)


def fit_course(feature: np.ndarray, video: np.ndarray) -> CourseOfClips | None:
    """The look at clips that features (N, D) of videos (N,) call for; None where no video has clips that differ."""
    _, place = np.unique(video, return_inverse=True)
    apart = feature - video_means(feature, video)[1][place]
    if np.abs(apart).max() <= ROUNDING * np.abs(feature).max():
        return None
    axes = principal_axes(apart).axes[:, :MAX_DIRECTIONS].astype(np.float32)
    _, squared = _squared_spread(feature @ axes, video)
    return CourseOfClips(axes, np.nanmean(squared, axis=0))


def _squared_spread(rows: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted videos, and of rows (N, K) the variance in each and that of steps from row to row: (V, 2 K).

    Both are the same on average for rows in no order. NaN for a video of one row.
    """
    order = np.argsort(video, kind="stable")
    rows, video = rows[order].astype(np.float64), video[order]
    videos, place, counts = np.unique(video, return_inverse=True, return_counts=True)
    apart = rows - video_means(rows, video)[1][place]
    step = np.diff(rows, axis=0, prepend=rows[:1])
    step[np.cumsum(counts) - counts] = 0  # the first clip has none before it
    _, means = video_means(np.concatenate([np.square(apart), np.square(step) / 2], axis=1), video)
    several = counts > 1
    means[several] *= (counts / np.maximum(counts - 1, 1))[several, None]
    means[~several] = np.nan
    return videos, means
