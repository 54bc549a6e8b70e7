"""Intervals from halves of the people or videos: whole ones, because the clips of one person are not independent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import stdtrit

from latentveil.errors import InputError
from latentveil.types import Interval

# Whether each item was drawn, one resample per row: (R, N) -> the statistic of each resample, (R,).
WeightedStatistic = Callable[[np.ndarray], np.ndarray]
# The same of S statistics at once, (R, N) -> (S, R).
WeightedStatistics = Callable[[np.ndarray], np.ndarray]

CONFIDENCE = 0.95
# Draws beyond these quantiles count as if they lay on them (a ratio's may be anywhere), which makes the standard
# deviation of normal ones smaller by this factor.
TAILS, TAILS_CUT = (0.025, 0.975), 0.9555
# Resamples are handed to the statistic in blocks of at most this many weights, which bounds the memory.
BLOCK_WEIGHTS = 4_000_000
# Of a statistic on halves that is kept to be compared later: how many halves, and how many digits of each.
KEPT_HALVES, KEPT_DIGITS = 100, 4
# What a statistic can be at all.
ANYWHERE, SHARE = (-math.inf, math.inf), (0.0, 1.0)


def interval_over_groups(
    statistic: WeightedStatistic,
    groups: np.ndarray,
    *,
    seed: int,
    num_resamples: int = 1000,
    limits: tuple[float, float] = ANYWHERE,
) -> Interval:
    """The statistic of all items with a 95 % interval from random halves of the groups.

    Shapes: ``groups`` (N,) names the person or video of each item. ``statistic`` takes weights (R, N), whether each
    item belongs to each of R halves, and returns (R,); a mean is ``mean_of(values)``. A statistic without one (an
    average precision where the half has no positive) is NaN: such halves are left out, so the interval holds for
    samples that show the class at all. Where halves tell nothing (one group only, NaN throughout, or one and the same
    value that is not the whole's) both ends are NaN: unknown, not narrow. ``limits`` are the least and the largest
    value that the statistic can have. Where all halves are at such a limit they do not differ, whatever the number of
    groups: the interval then ends where as many groups would no longer all be there (of ten people, none: 0 to 0.31).

    Halves hold everybody at most once. A draw with replacement doubles people, which lifts ranked measures such as
    mAP above their value. The spread of halves (G / 2 of G groups) is that of the statistic itself, and how far
    they lie above its value is how far the value lies above the truth: the interval is moved by as much. It
    need not lie evenly around the value. docs/coverage.md shows how often it holds the truth: with twenty people or
    more 90 to 97 % of the time, with ten 87 to 98 %, with six 84 to 98 %; more often for shares near 0 and 1.
    """
    [found] = intervals_over_groups(
        lambda weights: statistic(weights)[None],
        groups,
        seed=seed,
        num_resamples=num_resamples,
        limits=limits,
    )
    return found


def intervals_over_groups(
    statistics: WeightedStatistics,
    groups: np.ndarray,
    *,
    seed: int,
    num_resamples: int = 1000,
    limits: tuple[float, float] = ANYWHERE,
) -> list[Interval]:
    """As ``interval_over_groups``, of several statistics (S, R) that have most of their work in common."""
    groups = np.asarray(groups)
    if groups.ndim != 1 or len(groups) == 0:
        raise InputError(f"groups must be of shape (N,) with N > 0, got {groups.shape}.")
    num_groups = len(np.unique(groups))
    values = [float(value) for value in statistics(np.ones((1, len(groups))))[:, 0]]
    if num_groups < 2 or not np.isfinite(values).any():
        return [Interval(value, float("nan"), float("nan")) for value in values]
    halves = half_samples(groups, seed=seed, num_resamples=num_resamples)
    draws = np.concatenate([statistics(weights) for weights in halves], axis=1)  # (S, R)
    return [
        interval_from_halves(value, own, num_groups=num_groups, limits=limits)
        for value, own in zip(values, draws)
    ]


def interval_from_halves(
    value: float, draws: np.ndarray, *, num_groups: int, limits: tuple[float, float] = ANYWHERE
) -> Interval:
    """The interval around ``value`` from the same statistic of random halves of the groups, ``draws`` (R,)."""
    draws = draws[np.isfinite(draws)]
    if len(draws) == 0 or num_groups < 2 or not np.isfinite(value):
        return Interval(value, float("nan"), float("nan"))
    drawn = num_groups // 2
    draws = np.clip(draws, *np.quantile(draws, TAILS))
    bias = (draws.mean() - value) * drawn / (num_groups - drawn)
    reach = _reach(draws, num_groups)
    if reach == 0 and not np.isclose(bias, 0):
        return Interval(value, float("nan"), float("nan"))
    least, largest = limits
    if reach == 0 and value in limits and math.isfinite(largest - least):
        unseen = (largest - least) * share_unseen(num_groups)
        return Interval(value, max(least, value - unseen), min(largest, value + unseen))
    low, high = np.clip([value - bias - reach, value - bias + reach], *limits)
    return Interval(value, float(low), float(high))


def share_unseen(num_groups: int) -> float:
    """The share of all people who may be otherwise where none of ``num_groups`` was (Clopper and Pearson)."""
    return 1 - ((1 - CONFIDENCE) / 2) ** (1 / num_groups)


@dataclass(frozen=True)
class Halves:
    """A statistic of random halves of the people: ``values``, and of how many ``groups`` each is half.

    The halves of as many groups are the same ones each time, so that two rows of a table that were measured on the same
    people can be compared half by half. A half without a value has None.
    """

    values: tuple[float | None, ...]
    groups: int

    @classmethod
    def of(cls, statistic: WeightedStatistic, groups: np.ndarray) -> Halves:
        """The statistic (as for ``interval_over_groups``) of the kept number of halves of ``groups`` (N,)."""
        return cls.of_mean([(statistic, groups)])

    @classmethod
    def of_mean(cls, parts: Sequence[tuple[WeightedStatistic, np.ndarray]]) -> Halves:
        """The mean of several statistics, each with the groups (N,) of its own items, on the same halves of people.

        A half that says nothing of one statistic takes the mean of the others.
        """
        names = np.unique(np.concatenate([groups for _, groups in parts]))
        if len(names) < 2:
            return cls((), len(names))
        places = [np.searchsorted(names, groups) for _, groups in parts]
        drawn = np.concatenate(list(half_samples(names, seed=0, num_resamples=KEPT_HALVES)))  # (R, G)
        with np.errstate(invalid="ignore", divide="ignore"):  # a half may hold nobody of a part
            found = np.stack([statistic(drawn[:, place]) for (statistic, _), place in zip(parts, places)])
        known = np.isfinite(found).sum(axis=0)  # (R,)
        mean = np.where(
            known, np.where(np.isfinite(found), found, 0).sum(axis=0) / np.maximum(known, 1), np.nan
        )
        rounded = [round(float(value), KEPT_DIGITS) if np.isfinite(value) else None for value in mean]
        return cls(tuple(rounded), len(names))


def reach_over_people(values: np.ndarray, num_groups: int) -> float:
    """Half of the 95 % interval over people of a statistic with these ``values`` on halves of ``num_groups`` people.

    NaN where nothing is known: fewer than two people, or no half with a value.
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    if num_groups < 2 or len(known) < 2:
        return float("nan")
    return _reach(np.clip(known, *np.quantile(known, TAILS)), num_groups)


def _reach(draws: np.ndarray, num_groups: int) -> float:
    """Half of the interval, by Student's t, from the values (R,) on halves, their tails cut."""
    drawn = num_groups // 2
    spread = draws.std() / TAILS_CUT * math.sqrt(drawn / (num_groups - drawn))
    return float(stdtrit(num_groups - 1, (1 + CONFIDENCE) / 2)) * float(spread)


def half_samples(groups: np.ndarray, *, seed: int, num_resamples: int) -> Iterator[np.ndarray]:
    """Yield blocks of weights (R, N) of 0 and 1, ``num_resamples`` rows in all: each draws half of the groups."""
    names, group_of_item = np.unique(groups, return_inverse=True)
    block = max(1, BLOCK_WEIGHTS // len(groups))
    sizes = tuple(min(block, num_resamples - start) for start in range(0, num_resamples, block))
    draws = _kept_draws if len(sizes) == 1 else _draws
    for drawn in draws(len(names), sizes, seed):
        yield drawn[:, group_of_item].astype(np.float64)  # (R, N)


def _draws(num_groups: int, sizes: tuple[int, ...], seed: int) -> Iterator[np.ndarray]:
    """Yield whether each group is drawn, a block (R, G) for each of ``sizes``."""
    generator = np.random.default_rng(seed)
    for size in sizes:
        places = generator.permuted(np.tile(np.arange(num_groups), (size, 1)), axis=1)
        yield places < num_groups // 2


@lru_cache(maxsize=4)
def _kept_draws(num_groups: int, sizes: tuple[int, ...], seed: int) -> list[np.ndarray]:
    """The same, kept: an audit asks for intervals of many statistics of the same people, and drawing takes longest."""
    return list(_draws(num_groups, sizes, seed))


def mean_of(values: np.ndarray) -> WeightedStatistic:
    """The statistic "mean of values (N,)", for ``interval_over_groups``."""
    values = np.asarray(values, dtype=np.float64)
    return lambda weights: weights @ values / weights.sum(axis=1)
