"""The scores of one sort of pair, gathered over folds, and what they amount to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from latentveil.arrays import number_in_group
from latentveil.auditing.risks.pairs import Units
from latentveil.metrics.intervals import SHARE, interval_over_groups, intervals_over_groups, mean_of
from latentveil.metrics.verification import PairScores, can_measure, first_match
from latentveil.results.risks import LinkScore
from latentveil.types import Interval

# At most this many pairs of either sort are drawn: enough to tell a rate of 0.1 %.
MAX_DIFFERENT = 50_000
MAX_SAME = 20_000


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Pairs (K,) of units, as in `PairScores`, before anybody has scored them."""

    same: np.ndarray
    first: np.ndarray
    second: np.ndarray
    share: np.ndarray

    def scored(self, score: np.ndarray) -> PairScores:
        """With their score (U, U)."""
        return PairScores(score[self.first, self.second], self.same, self.first, self.second, self.share)


def draw_pairs(units: Units, candidates: np.ndarray, *, share: float = 1.0, seed: int = 0) -> DrawnPairs:
    """The pairs among ``candidates`` (U, U), at most ``share`` of the limits of either sort.

    Every person counts the same, however many videos they have, and so do every two people.
    """
    random = np.random.default_rng(seed)
    names, number = np.unique(units.person, return_inverse=True)
    places, shares = [], []
    for mask, limit in ((candidates & units.same, MAX_SAME), (candidates & ~units.same, MAX_DIFFERENT)):
        found = random.permutation(np.flatnonzero(mask))
        first, second = np.divmod(found, len(units.person))
        people = np.minimum(number[first], number[second]) * len(names) + np.maximum(
            number[first], number[second]
        )
        kept = _spread(people, max(1, int(limit * share)))
        _, group, counts = np.unique(people[kept], return_inverse=True, return_counts=True)
        places.append(found[kept])
        shares.append(1 / counts[group])
    first, second = np.divmod(np.concatenate(places), len(units.person))
    same = np.repeat([True, False], [len(places[0]), len(places[1])])
    return DrawnPairs(same, first, second, np.concatenate(shares))


def _spread(group: np.ndarray, limit: int) -> np.ndarray:
    """The places of about ``limit`` items, as many of each ``group`` (N,) as can be, the first ones of each."""
    if len(group) <= limit:
        return np.arange(len(group))
    return np.sort(np.argsort(number_in_group(group), kind="stable")[:limit])


class LinkTally:
    """Adds up folds: people are compared within a fold only, since every fold has its own attacker."""

    def __init__(self, pairs: str, *, is_symmetric: bool, num_folds: int, seed: int) -> None:
        self.pairs = pairs
        self.is_symmetric = is_symmetric
        self.num_folds = num_folds
        self.seed = seed
        self.num_same = self.num_different = self.num_units = 0
        self._attacks: list[str] = []
        self._person: list[np.ndarray] = []
        self._parts: list[PairScores] = []
        self._ranks: list[np.ndarray] = []

    def add(self, score: np.ndarray, units: Units, *, attack: str) -> None:
        """The scores (U, U) of one fold's units; between folds only their place in the fold's own spread counts."""
        allowed = units.candidates(self.pairs)
        if not allowed.any():
            return
        spread = score[allowed].std()
        score = (score - score[allowed].mean()) / (spread if spread > 0 else 1.0)
        once = np.triu(allowed) if self.is_symmetric else allowed
        self.num_same += int((once & units.same).sum())
        self.num_different += int((once & ~units.same).sum())
        part = draw_pairs(units, once, share=1 / self.num_folds, seed=self.seed).scored(score)
        self._parts.append(
            replace(part, first=part.first + self.num_units, second=part.second + self.num_units)
        )
        found = first_match(score, units.same, allowed)
        by_chance = first_match(np.zeros_like(score), units.same, allowed)
        self._ranks.append(np.stack([*found, *by_chance]))  # (4, U)
        self._person.append(units.person)
        self._attacks.append(attack)
        self.num_units += len(units.person)

    def result(self) -> LinkScore:
        """The statistics with intervals over people; a search is weighed by who asks, its gallery stays whole."""
        pairs = PairScores(
            *(_joined(part, self._parts) for part in ("score", "same", "first", "second", "share"))
        )
        person, ranks = np.concatenate(self._person), np.concatenate(self._ranks, axis=1)
        asked = np.isfinite(ranks[0])
        names, number, counts = np.unique(person[asked], return_inverse=True, return_counts=True)
        by_person = [np.bincount(number, values[asked]) / counts for values in ranks]  # four of (P,)

        rates = [rate for rate in (0.01, 0.001) if can_measure(rate, self.num_different)]

        def measures(weights: np.ndarray) -> np.ndarray:
            """The area, the equal error rate and the accepted shares of each resample: (2 + rates, R)."""
            curves = pairs.curves(weights)
            accepted = (curves.true_accept_at(rate) for rate in rates)
            return np.stack([curves.auc, curves.equal_error_rate, *accepted])

        found = intervals_over_groups(measures, person, seed=self.seed, limits=SHARE)
        if len(names) < 2:
            found = [Interval(one.value, math.nan, math.nan) for one in found]
        area, equal_error_rate, *accepted = found
        accepted_at = dict(zip(rates, accepted))
        return LinkScore(
            attacks=tuple(self._attacks),
            num_people=len(names),
            num_same=self.num_same,
            num_different=self.num_different,
            auc=area,
            equal_error_rate=equal_error_rate,
            true_accept_at_1_percent=accepted_at.get(0.01),
            true_accept_at_01_percent=accepted_at.get(0.001),
            rank1=interval_over_groups(mean_of(by_person[0]), names, seed=self.seed, limits=SHARE),
            rank1_chance=float(by_person[2].mean()),
            reciprocal_rank=interval_over_groups(mean_of(by_person[1]), names, seed=self.seed, limits=SHARE),
            reciprocal_rank_chance=float(by_person[3].mean()),
        )


def _joined(name: str, parts: Iterable[PairScores]) -> np.ndarray:
    return np.concatenate([getattr(part, name) for part in parts])
