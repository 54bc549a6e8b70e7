"""What attackers learn of one secret from raw and from anonymized features, and how much of it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge
from latentveil.auditing.answers import SecretAnswers, attack_secret, check_same_clips
from latentveil.auditing.floor import Floor, measure_floor
from latentveil.auditing.splits import Fold
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, WeightedStatistic, interval_over_groups
from latentveil.progress import OnProgress, silent
from latentveil.results.audit import AttackLeakage, Measured, SecretLeakage, Worst
from latentveil.types import FeatureSet, Interval

AT_MOST_ALL = (-np.inf, 1.0)  # the share of a leakage that is gone; negative where there is more than before


@dataclass(frozen=True, eq=False)
class BothAnswers:
    """What every attack answered from raw and from anonymized features of the same videos, and the floor if wanted."""

    raw: SecretAnswers
    anonymized: SecretAnswers
    floor: Floor | None = None

    def compare(self, *, seed: int = 0) -> SecretLeakage:
        """The leakage before and after; see ``compare_answers``."""
        return compare_answers(self.raw, self.anonymized, seed=seed, floor=self.floor)


def attack_both(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    secret: str,
    *,
    kind: str,
    attacks: str | Sequence[str | Attack] = "all",
    seed: int = 0,
    redrawn: Sequence[FeatureSet] = (),
    floor: int = 0,
    on_progress: OnProgress = silent,
) -> BothAnswers:
    """Run every attack on the raw and on the anonymized features of ``kind``; ``compare`` gives the leakage.

    ``redrawn`` are further copies of the anonymized features with other noise, which an attacker can make who holds
    the adapter; the attack `informed` learns from them. ``floor`` says how often the attacks on anonymized features
    are repeated with nothing to learn. ``on_progress`` is told each attack.

    ``anonymized`` must hold the same clips as ``raw``, row by row. To compare many adapters on the same raw
    features, call ``attack_secret`` on those once, and ``compare_answers`` for each adapter.
    """
    check_same_clips(raw, anonymized)
    options: dict[str, Any] = {"kind": kind, "attacks": attacks, "seed": seed, "on_progress": on_progress}
    shared: dict[Fold, AttackerKnowledge] = {}
    on_raw = attack_secret(raw, raw, labels, secret, shared=shared, **options)
    on_anonymized = attack_secret(anonymized, raw, labels, secret, redrawn=redrawn, shared=shared, **options)
    if not floor:
        return BothAnswers(on_raw, on_anonymized)
    found = measure_floor(anonymized, raw, labels, secret, repeats=floor, redrawn=redrawn, **options)
    return BothAnswers(on_raw, on_anonymized, found)


def compare_answers(
    raw: SecretAnswers, anonymized: SecretAnswers, *, seed: int = 0, floor: Floor | None = None
) -> SecretLeakage:
    """The leakage before and after, with 95 % intervals over people (or videos, for identity or without people).

    The worst attack is the one with the highest score on the test videos. A maximum over attacks is biased upward,
    on either side: on anonymized features that errs against the adapter, which is the safe side. Its interval is that
    attack's own; taking the maximum anew inside every resample would add the bias a second time.

    Attacks are tried turned round where validation videos ask for it. Should even the worst one lie below chance with
    its whole interval, how far it lies below counts as leakage: somebody would turn it round.
    """
    _require_alike(raw, anonymized)
    attacks = {name: _on_both(raw, anonymized, name, seed=seed) for name in raw.probabilities}
    worst = Worst(
        raw=attacks[raw.best_attack].raw.interval,
        anonymized=attacks[anonymized.best_attack].anonymized.interval,
        attack=anonymized.best_attack,
        raw_attack=raw.best_attack,
    )
    before, after = raw.statistic(worst.raw_attack), anonymized.statistic(worst.attack)
    estimate = partial(interval_over_groups, groups=raw.group, seed=seed, limits=AT_MOST_ALL)
    removed = over_floor = None
    below_too = lies_below(worst.anonymized, raw.chance)
    if lies_above(worst.raw, raw.chance):
        removed = estimate(_removed_share(before, after, raw.chance_statistic, below_too=below_too))
    if floor is not None and lies_above(worst.raw, raw.chance + floor.mean_excess):
        raised = partial(_raised, raw.chance_statistic, floor.mean_excess)
        over_floor = estimate(_removed_share(before, after, raised))
    return SecretLeakage(
        secret=raw.secret,
        kind=raw.kind,
        metric=raw.metric,
        num_videos=len(raw.video),
        num_groups=len(np.unique(raw.group)),
        chance=raw.chance,
        attacks=attacks,
        worst=worst,
        leakage_removed=removed.value if removed else None,
        learned=estimate(_learned(after, raw.chance_statistic, below_too=below_too)),
        leakage_removed_interval=removed,
        floor=floor.level(raw.chance) if floor else None,
        leakage_removed_over_floor=over_floor.value if over_floor else None,
        leakage_removed_over_floor_interval=over_floor,
    )


def _require_alike(raw: SecretAnswers, anonymized: SecretAnswers) -> None:
    """Refuse answers that cannot be compared."""
    if raw.secret != anonymized.secret or not np.array_equal(raw.video, anonymized.video):
        raise InputError(
            "answers must be of the same secret and videos, got others. Use the same labels and seed."
        )
    if raw.probabilities.keys() != anonymized.probabilities.keys():
        raise InputError(
            f"answers must be of the same attacks, got {', '.join(raw.probabilities)} for raw features "
            f"and {', '.join(anonymized.probabilities)} for anonymized ones."
        )


def _on_both(raw: SecretAnswers, anonymized: SecretAnswers, attack: str, *, seed: int) -> AttackLeakage:
    """One attack before and after, each with its interval."""
    before, after = (
        Measured.of(
            interval_over_groups(answers.statistic(attack), raw.group, seed=seed, limits=SHARE),
            answers.details(attack),
        )
        for answers in (raw, anonymized)
    )
    return AttackLeakage(before, after, anonymized.settings[attack])


def lies_above(found: Interval, level: float) -> bool:
    """Whether a value with its whole interval lies above ``level``; not where the interval is unknown."""
    return found.value > level and found.low > level


def lies_below(found: Interval, level: float) -> bool:
    """Whether a value with its whole interval lies below ``level``; not where the interval is unknown."""
    return found.value < level and found.high < level


def _removed_share(
    of_raw: WeightedStatistic,
    of_anonymized: WeightedStatistic,
    level: WeightedStatistic,
    *,
    below_too: bool = False,
) -> WeightedStatistic:
    """The share that is gone of each resample; NaN where raw features show nothing above ``level``.

    What lies below ``level`` counts as nothing left, or with ``below_too`` as left, too.
    """

    def removed(weights: np.ndarray) -> np.ndarray:
        before = _excess(of_raw, level, weights)
        left = of_anonymized(weights) - level(weights)
        after = np.abs(left) if below_too else np.maximum(left, 0.0)
        return np.where(before > 0, 1 - after / np.where(before > 0, before, 1.0), np.nan)

    return removed


def _excess(of_raw: WeightedStatistic, level: WeightedStatistic, weights: np.ndarray) -> np.ndarray:
    guessed = level(weights)  # 1 in a resample of one class, which says nothing of what can be told apart
    return np.where(guessed < 1, of_raw(weights) - guessed, np.nan)


def _learned(found: WeightedStatistic, level: WeightedStatistic, *, below_too: bool) -> WeightedStatistic:
    """The share of the way from ``level`` to 1, or with ``below_too`` as far below; NaN in a resample of one class."""

    def learned(weights: np.ndarray) -> np.ndarray:
        guessed = level(weights)
        share = (found(weights) - guessed) / np.where(guessed < 1, 1 - guessed, 1.0)
        return np.where(guessed < 1, np.abs(share) if below_too else share, np.nan)

    return learned


def _raised(level: WeightedStatistic, excess: float, weights: np.ndarray) -> np.ndarray:
    return level(weights) + excess
