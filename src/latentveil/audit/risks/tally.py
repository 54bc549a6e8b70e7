"""The scores of one sort of pair, gathered over folds, and what they amount to."""

from __future__ import annotations

from functools import partial

import numpy as np

from latentveil.audit.risks.pairs import Units
from latentveil.audit.risks.result import LinkScore
from latentveil.metrics.intervals import bootstrap, mean_of
from latentveil.metrics.verification import PairScores, can_measure, first_match
from latentveil.types import Interval

# So many pairs of either sort are drawn where there are more: they tell 0.1 % well enough.
MAX_DIFFERENT = 50_000
MAX_SAME = 20_000


def draw_pairs(
    score: np.ndarray, units: Units, candidates: np.ndarray, *, share: float = 1.0, seed: int = 0
) -> PairScores:
    """The pairs among ``candidates`` (U, U) with their score (U, U), at most ``share`` of the limits of either sort."""
    random = np.random.default_rng(seed)
    drawn = []
    for mask, limit in ((candidates & units.same, MAX_SAME), (candidates & ~units.same, MAX_DIFFERENT)):
        places = np.flatnonzero(mask)
        limit = max(1, int(limit * share))
        drawn.append(random.choice(places, limit, replace=False) if len(places) > limit else places)
    first, second = np.divmod(np.concatenate(drawn), len(units.person))
    same = np.repeat([True, False], [len(drawn[0]), len(drawn[1])])
    return PairScores(score[first, second], same, first, second)


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
        part = draw_pairs(score, units, once, share=1 / self.num_folds, seed=self.seed)
        self._parts.append(
            PairScores(part.score, part.same, part.first + self.num_units, part.second + self.num_units)
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
            *(
                np.concatenate([getattr(part, name) for part in self._parts])
                for name in ("score", "same", "first", "second")
            )
        )
        person, ranks = np.concatenate(self._person), np.concatenate(self._ranks, axis=1)
        asked = np.isfinite(ranks[0])
        rank1, reciprocal = (
            bootstrap(mean_of(values[asked]), person[asked], seed=self.seed) for values in ranks[:2]
        )

        def accepted(rate: float) -> Interval | None:
            if not can_measure(rate, self.num_different):
                return None
            return bootstrap(partial(pairs.true_accept_at, rate), person, seed=self.seed)

        return LinkScore(
            attacks=tuple(self._attacks),
            num_people=len(np.unique(person[asked])),
            num_same=self.num_same,
            num_different=self.num_different,
            auc=bootstrap(pairs.auc, person, seed=self.seed),
            equal_error_rate=bootstrap(pairs.equal_error_rate, person, seed=self.seed),
            true_accept_at_1_percent=accepted(0.01),
            true_accept_at_01_percent=accepted(0.001),
            rank1=rank1,
            rank1_chance=float(ranks[2][asked].mean()),
            reciprocal_rank=reciprocal,
            reciprocal_rank_chance=float(ranks[3][asked].mean()),
        )
