"""What attackers learn of one secret from raw and from anonymized features, and how much of it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from latentveil.audit.answers import SecretAnswers, attack_secret, check_same_clips
from latentveil.audit.floor import Floor, measure_floor
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, WeightedStatistic, bootstrap
from latentveil.types import FeatureSet, Interval


@dataclass(frozen=True)
class AttackLeakage:
    """One attack on raw and on anonymized features, with further numbers and what it chose in each fold."""

    raw: Interval
    anonymized: Interval
    raw_details: dict[str, float]
    anonymized_details: dict[str, float]
    settings: list[dict[str, Any]]


@dataclass(frozen=True)
class WorstAttack:
    """The most successful attack of all, by name, and what it reached."""

    attack: str
    score: Interval


@dataclass(frozen=True)
class SecretLeakage:
    """The leakage of one secret: every attack, the worst on either side, and the share that is gone.

    ``leakage_removed`` is 1 - (worst anonymized - chance) / (worst raw - chance), 1 where the worst attack on
    anonymized features is at chance or below, negative where they leak more than raw ones. It is None where raw
    features do not leak beyond chance by more than their interval: then it cannot be told.
    ``removed_over_floor`` is the same with the floor in the place of chance, where that was measured.
    """

    secret: str
    kind: str
    metric: str
    num_videos: int
    num_groups: int
    chance: float
    attacks: dict[str, AttackLeakage]
    worst_raw: WorstAttack
    worst_anonymized: WorstAttack
    leakage_removed: float | None
    leakage_removed_interval: Interval | None
    floor: Floor | None = None
    removed_over_floor: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry of this secret in audit.json."""
        removed = self.leakage_removed_interval
        return {
            "kind": self.kind,
            "metric": self.metric,
            "num_videos": self.num_videos,
            "num_groups": self.num_groups,
            "chance": self.chance,
            "attacks": {
                name: {
                    "raw": attack.raw.to_dict() | {"details": attack.raw_details},
                    "anonymized": attack.anonymized.to_dict() | {"details": attack.anonymized_details},
                    "settings": attack.settings,
                }
                for name, attack in self.attacks.items()
            },
            "worst": {
                "raw": self.worst_raw.score.to_dict(),
                "anonymized": self.worst_anonymized.score.to_dict(),
                "attack": self.worst_anonymized.attack,
                "raw_attack": self.worst_raw.attack,
            },
            "leakage_removed": self.leakage_removed,
            "leakage_removed_interval": removed.to_dict() if removed else None,
            **self._floor_to_dict(),
        }

    def _floor_to_dict(self) -> dict[str, Any]:
        """The floor and the share removed above it; nothing where no floor was measured."""
        if self.floor is None:
            return {}
        removed = self.removed_over_floor
        return {
            "floor": self.floor.to_dict(self.chance),
            "leakage_removed_over_floor": removed.value if removed else None,
            "leakage_removed_over_floor_interval": removed.to_dict() if removed else None,
        }


def measure_leakage(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    secret: str,
    *,
    kind: str,
    attacks: str | Sequence[str] = "all",
    seed: int = 0,
    redrawn: Sequence[FeatureSet] = (),
    floor: int = 0,
) -> SecretLeakage:
    """Run every attack on the raw and on the anonymized features of ``kind`` and compare.

    ``redrawn`` are further copies of the anonymized features with other noise, which an attacker can make who holds
    the adapter; the attack `informed` learns from them. ``floor`` says how often the attacks on anonymized features
    are repeated with nothing to learn.

    ``anonymized`` must hold the same clips as ``raw``, row by row. To compare many adapters on the same raw
    features, call ``attack_secret`` on those once, and ``compare_answers`` for each adapter.
    """
    check_same_clips(raw, anonymized)
    on_raw, on_anonymized = (
        attack_secret(features, raw, labels, secret, kind=kind, attacks=attacks, seed=seed, redrawn=copies)
        for features, copies in ((raw, ()), (anonymized, redrawn))
    )
    found = None
    if floor:
        found = measure_floor(
            anonymized,
            raw,
            labels,
            secret,
            kind=kind,
            repeats=floor,
            attacks=attacks,
            seed=seed,
            redrawn=redrawn,
        )
    return compare_answers(on_raw, on_anonymized, seed=seed, floor=found)


def compare_answers(
    raw: SecretAnswers, anonymized: SecretAnswers, *, seed: int = 0, floor: Floor | None = None
) -> SecretLeakage:
    """The leakage before and after, with 95 % intervals over people (or videos, for identity or without people).

    The worst attack is the one with the highest score on the test videos. A maximum over attacks is biased upward,
    on either side: on anonymized features that errs against the adapter, which is the safe side. Its interval is that
    attack's own; taking the maximum anew inside every resample would add the bias a second time.
    """
    if raw.secret != anonymized.secret or not np.array_equal(raw.video, anonymized.video):
        raise InputError(
            "answers must be of the same secret and videos, got others. Use the same labels and seed."
        )
    if raw.probabilities.keys() != anonymized.probabilities.keys():
        raise InputError(
            f"answers must be of the same attacks, got {', '.join(raw.probabilities)} for raw features "
            f"and {', '.join(anonymized.probabilities)} for anonymized ones."
        )
    attacks = {
        name: AttackLeakage(
            raw=bootstrap(raw.statistic(name), raw.group, seed=seed, limits=SHARE),
            anonymized=bootstrap(anonymized.statistic(name), raw.group, seed=seed, limits=SHARE),
            raw_details=raw.details(name),
            anonymized_details=anonymized.details(name),
            settings=anonymized.settings[name],
        )
        for name in raw.probabilities
    }
    raw_attack, anonymized_attack = raw.best_attack, anonymized.best_attack
    worst = raw.statistic(raw_attack), anonymized.statistic(anonymized_attack)
    removed = share_removed(*worst, raw.chance_statistic, groups=raw.group, seed=seed)
    over_floor = None
    if floor is not None:
        level = partial(_raised, raw.chance_statistic, floor.mean_excess)
        over_floor = share_removed(*worst, level, groups=raw.group, seed=seed)
    return SecretLeakage(
        secret=raw.secret,
        kind=raw.kind,
        metric=raw.metric,
        num_videos=len(raw.video),
        num_groups=len(np.unique(raw.group)),
        chance=raw.chance,
        attacks=attacks,
        worst_raw=WorstAttack(raw_attack, attacks[raw_attack].raw),
        worst_anonymized=WorstAttack(anonymized_attack, attacks[anonymized_attack].anonymized),
        leakage_removed=removed.value if removed else None,
        leakage_removed_interval=removed,
        floor=floor,
        removed_over_floor=over_floor,
    )


def _raised(level: WeightedStatistic, excess: float, weights: np.ndarray) -> np.ndarray:
    return level(weights) + excess


def share_removed(
    of_raw: WeightedStatistic,
    of_anonymized: WeightedStatistic,
    level: WeightedStatistic,
    *,
    groups: np.ndarray,
    seed: int,
) -> Interval | None:
    """The share of the leakage above ``level`` that is gone; None where raw features show none for certain."""

    def raw_excess(weights: np.ndarray) -> np.ndarray:
        guessed = level(weights)  # 1 in a resample of one class, which says nothing of what can be told apart
        return np.where(guessed < 1, of_raw(weights) - guessed, np.nan)

    def removed(weights: np.ndarray) -> np.ndarray:
        before = raw_excess(weights)
        after = np.maximum(of_anonymized(weights) - level(weights), 0.0)
        return np.where(before > 0, 1 - after / np.where(before > 0, before, 1.0), np.nan)

    excess = bootstrap(raw_excess, groups, seed=seed)
    if not excess.value > 0 or excess.low <= 0:
        return None
    return bootstrap(removed, groups, seed=seed, limits=(-np.inf, 1.0))
