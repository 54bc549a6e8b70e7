"""Bootstrap intervals that resample whole people or videos, because the clips of one person are not independent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from latentveil.errors import InputError
from latentveil.types import Interval

# How often each item was drawn, one resample per row: (R, N) -> the statistic of each resample, (R,).
WeightedStatistic = Callable[[np.ndarray], np.ndarray]

CONFIDENCE = 0.95
# Resamples are handed to the statistic in blocks of at most this many weights, which bounds the memory.
BLOCK_WEIGHTS = 4_000_000


def bootstrap(
    statistic: WeightedStatistic, groups: np.ndarray, *, seed: int, num_resamples: int = 1000
) -> Interval:
    """The statistic of all items with its 95 % percentile interval over resampled groups.

    Shapes: ``groups`` (N,) names the person or video of each item. ``statistic`` takes weights (R, N), how often
    each item was drawn in each of R resamples, and returns (R,); a mean is ``mean_of(values)``. A statistic
    without one (an average precision where the resample drew no positive) is NaN: such resamples are left out, so
    the interval holds for samples that show the class at all. Where nothing can be resampled (one group only, or
    NaN throughout) both ends are NaN: unknown, not narrow. The interval always contains the value. With ten
    groups or fewer, percentile intervals are known to be somewhat too narrow.
    """
    groups = np.asarray(groups)
    if groups.ndim != 1 or len(groups) == 0:
        raise InputError(f"groups must be of shape (N,) with N > 0, got {groups.shape}.")
    value = float(statistic(np.ones((1, len(groups))))[0])
    draws = np.concatenate(
        [statistic(w) for w in resampled_weights(groups, seed=seed, num_resamples=num_resamples)]
    )
    draws = draws[np.isfinite(draws)]
    if len(np.unique(groups)) < 2 or len(draws) == 0 or not np.isfinite(value):
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(value, min(float(low), value), max(float(high), value))


def resampled_weights(groups: np.ndarray, *, seed: int, num_resamples: int) -> Iterator[np.ndarray]:
    """Yield blocks of weights (R, N), ``num_resamples`` rows in all: groups drawn with replacement, items with them."""
    names, group_of_item = np.unique(groups, return_inverse=True)
    block = max(1, BLOCK_WEIGHTS // len(groups))
    sizes = tuple(min(block, num_resamples - start) for start in range(0, num_resamples, block))
    draws = _kept_draws if len(sizes) == 1 else _draws
    for counts in draws(len(names), sizes, seed):
        yield counts[:, group_of_item].astype(np.float64)  # (R, N)


def _draws(num_groups: int, sizes: tuple[int, ...], seed: int) -> Iterator[np.ndarray]:
    """Yield how often each group is drawn, a block (R, G) for each of ``sizes``."""
    generator = np.random.default_rng(seed)
    for size in sizes:
        yield generator.multinomial(num_groups, np.full(num_groups, 1 / num_groups), size=size)


@lru_cache(maxsize=2)
def _kept_draws(num_groups: int, sizes: tuple[int, ...], seed: int) -> list[np.ndarray]:
    """The same, kept: an audit bootstraps many statistics of the same people, and drawing takes longest."""
    return [counts.astype(np.int32) for counts in _draws(num_groups, sizes, seed)]


def mean_of(values: np.ndarray) -> WeightedStatistic:
    """The statistic "mean of values (N,)", for ``bootstrap``."""
    values = np.asarray(values, dtype=np.float64)
    return lambda weights: weights @ values / weights.sum(axis=1)
