"""Whether two items belong to the same person: ROC of pairs, its points and area, and the rank of the first match.

Every statistic of pairs takes weights (R, N), how much each item counts in each of R resamples, and returns (R,): the
form that ``intervals.interval_over_groups`` asks for. Where whole people are drawn, a pair of different people has the
product of their weights, and a pair of one person that person's weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# Up to this many different scores every one is a threshold; with more, thresholds are quantiles.
MAX_THRESHOLDS = 1024
# Pairs times resamples that are weighed at once, which bounds the memory.
BLOCK_WEIGHTS = 8_000_000
# A false accept rate is measured where at least this many pairs would be accepted falsely.
MIN_FALSE_ACCEPTS = 10


@dataclass(frozen=True, eq=False)
class Curves:
    """R curves of falsely accepted pairs (R, T) and rightly accepted ones (R, T), from 0 to 1; NaN where unknown."""

    false_accept: np.ndarray
    true_accept: np.ndarray

    @property
    def auc(self) -> np.ndarray:
        """The area under each (R,); equal scores count half, so a constant score has 0.5."""
        heights = (self.true_accept[:, 1:] + self.true_accept[:, :-1]) / 2
        return (np.diff(self.false_accept, axis=1) * heights).sum(axis=1)

    def true_accept_at(self, false_accept_rate: float) -> np.ndarray:
        """The share (R,) of same-person pairs accepted where ``false_accept_rate`` of the others are.

        Between two thresholds by a straight line, so a constant score accepts as many of the one as of the other.
        """
        rows = np.arange(len(self.false_accept))
        before = (self.false_accept <= false_accept_rate).sum(axis=1) - 1
        after = np.minimum(before + 1, self.false_accept.shape[1] - 1)
        start = self.false_accept[rows, before]
        step = self.false_accept[rows, after] - start
        share = np.where(step > 0, (false_accept_rate - start) / np.where(step > 0, step, 1), 0.0)
        low, high = self.true_accept[rows, before], self.true_accept[rows, after]
        return low + share * (high - low)

    @property
    def equal_error_rate(self) -> np.ndarray:
        """The error (R,) where as many are accepted falsely as are rejected falsely; 0.5 for a constant score."""
        rows = np.arange(len(self.false_accept))
        excess = self.false_accept - (1 - self.true_accept)  # (R, T), from -1 up to 1
        after = np.maximum((excess < 0).sum(axis=1), 1)
        after = np.minimum(after, excess.shape[1] - 1)  # NaN throughout has no place
        low, high = excess[rows, after - 1], excess[rows, after]
        share = -low / np.where(high > low, high - low, 1)
        start = self.false_accept[rows, after - 1]
        return start + share * (self.false_accept[rows, after] - start)


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scored pairs: ``score`` (K,), larger for "the same person"; ``same`` (K,) bool, the truth.

    ``first`` and ``second`` (K,) are the two items' columns in the weights. ``share`` (K,) weighs the pairs themselves,
    for example less where a person has many; 1 if not given.
    """

    score: np.ndarray
    same: np.ndarray
    first: np.ndarray
    second: np.ndarray
    share: np.ndarray | None = None

    def curves(self, weights: np.ndarray) -> Curves:
        """One curve per resample; all measures of it are had at the price of one."""
        different, same = (np.cumsum(self._counts(same, weights), axis=1) for same in (False, True))
        known = (different[:, -1:] > 0) & (same[:, -1:] > 0)  # (R, 1)
        rates = []
        for counts in (different, same):
            share = counts / np.where(known, counts[:, -1:], 1)
            from_zero = np.pad(share, ((0, 0), (1, 0)))
            rates.append(np.where(known, from_zero, np.nan))
        return Curves(rates[0], rates[1])

    def auc(self, weights: np.ndarray) -> np.ndarray:
        return self.curves(weights).auc

    def true_accept_at(self, false_accept_rate: float, weights: np.ndarray) -> np.ndarray:
        return self.curves(weights).true_accept_at(false_accept_rate)

    def equal_error_rate(self, weights: np.ndarray) -> np.ndarray:
        return self.curves(weights).equal_error_rate

    @property
    def num_same(self) -> int:
        return int(self.same.sum())

    @property
    def num_different(self) -> int:
        return int(len(self.same) - self.same.sum())

    def _counts(self, same: bool, weights: np.ndarray) -> np.ndarray:
        """How many pairs of one sort are at each threshold, the highest first, (R, thresholds)."""
        pairs, bin_of_pair = self._sorted[same]
        counts = np.zeros((len(self._thresholds), len(weights)))
        by_item = np.ascontiguousarray(weights.T, dtype=np.float32)  # (N, R)
        block = max(1, BLOCK_WEIGHTS // len(weights))
        for start in range(0, len(pairs), block):
            part, bins = pairs[start : start + block], bin_of_pair[start : start + block]
            times = by_item[self.first[part]]
            if not same:
                times = times * by_item[self.second[part]]
            if self.share is not None:
                times = times * self.share[part, None].astype(np.float32)
            firsts = np.flatnonzero(np.diff(bins, prepend=-1))
            counts[bins[firsts]] += np.add.reduceat(times, firsts, axis=0)
        return counts.T

    @cached_property
    def _thresholds(self) -> np.ndarray:
        """The scores from which on a pair is accepted, falling."""
        found = np.unique(self.score)
        if len(found) > MAX_THRESHOLDS:
            evenly = np.linspace(0, 1, MAX_THRESHOLDS // 4)
            tail = 1 - np.geomspace(1e-5, 0.1, MAX_THRESHOLDS // 4)
            different, same = self.score[~self.same], self.score[self.same]
            parts = [np.quantile(part, evenly) for part in (different, same) if len(part)]
            if len(different):
                parts.append(np.quantile(different, tail))
            found = np.unique(np.concatenate([*parts, [self.score.min()]]))
        return found[::-1]

    @cached_property
    def _sorted(self) -> dict[bool, tuple[np.ndarray, np.ndarray]]:
        """The pairs of either sort by threshold, and the number of the threshold of each."""
        rising = self._thresholds[::-1]
        bins = len(rising) - np.searchsorted(rising, self.score, side="right")  # (K,)
        found = {}
        for same in (False, True):
            pairs = np.flatnonzero(self.same == same)
            pairs = pairs[np.argsort(bins[pairs], kind="stable")]
            found[same] = (pairs, bins[pairs])
        return found


def can_measure(false_accept_rate: float, num_different: int) -> bool:
    """Whether there are enough pairs of different people to measure a false accept rate."""
    return num_different * false_accept_rate >= MIN_FALSE_ACCEPTS


def first_match(score: np.ndarray, same: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each probe, whether its best gallery item is of the same person, and 1 / rank of the first that is.

    Shapes: all (P, G); ``candidates`` says which items may be compared; results (P,), NaN for probes without a match.
    Equal scores are in random order, and the mean over all orders is given: with a constant score, chance.
    """
    hit, reciprocal = np.full(len(score), np.nan), np.full(len(score), np.nan)
    matches = same & candidates
    best = np.where(matches, score, -np.inf).max(axis=1, initial=-np.inf)  # (P,)
    above = (candidates & (score > best[:, None])).sum(axis=1)
    level = candidates & (score == best[:, None])
    tied, tied_matches = level.sum(axis=1), (level & same).sum(axis=1)
    for probe in np.flatnonzero(matches.any(axis=1)):
        # The first of m matches among t equals is later than place x with probability (t-m)/t * (t-m-1)/(t-1) ...
        size, found = tied[probe], tied_matches[probe]
        place = np.arange(size - found + 1)
        later = np.append(1.0, np.cumprod((size - found - place[:-1]) / (size - place[:-1])))
        exactly = later - np.append(later[1:], 0.0)
        hit[probe] = exactly[0] if above[probe] == 0 else 0.0
        reciprocal[probe] = (exactly / (above[probe] + 1 + place)).sum()
    return hit, reciprocal
