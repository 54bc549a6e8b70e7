"""When not to trust a number of an audit: checks of plain numbers that give a flag, or None where all is well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.attacks.base import LabelledFeatures
from latentveil.attacks.lda import lda_logits
from latentveil.errors import InputError
from latentveil.metrics.verification import PairScores
from latentveil.results.audit import Flag
from latentveil.types import Interval

# Intervals over fewer people hold the truth less often than they say (docs/coverage.md).
FEW_PEOPLE = 20
# Above this share of the way from chance to a perfect score there is no room to see that a little is gone.
CEILING = 0.98
# The planted offset, as a share of the videos' root mean squared distance from their mean, and what must be reached.
PLANTED_SIZE = 0.5
PLANTED_AREA = 0.9
# What raw features scaled and moved dimension by dimension may leave unexplained.
SCALING_RESIDUAL = 0.01
# Training videos that moved less than a fifth as far as test videos were learned by heart.
MEMORISED_RATIO = 5.0
MOVED_SHARE = 0.1
# How the names of attackers end that take the least alike for one person.
TURNED_ROUND = "turned round"


def planted_secret_missed(area: float) -> Flag | None:
    """``area`` is what ``finds_planted`` gave."""
    if area >= PLANTED_AREA:
        return None
    why = (
        f"an attack on these very features found a planted secret with an area of {area:.2f} only (0.5 is guessing): "
        "that attacks find little does not show that little is there"
    )
    return Flag("planted_secret_missed", why)


def too_few_people(num_people: int) -> Flag | None:
    if num_people >= FEW_PEOPLE:
        return None
    return Flag(
        "too_few_people",
        f"only {num_people} people stand behind this number, and intervals of so few are too narrow",
    )


def randomised_release(is_random: bool, *, num_draws: int, num_risk_draws: int) -> Flag | None:
    """How many draws of the release attackers on secrets learned from, and those of singling out and linkability."""
    if not is_random:
        return None
    why = (
        f"the release is drawn at random: attackers on secrets learned from {_draws(num_draws)}, those who single out "
        f"and link from {_draws(num_risk_draws)}; more draws may tell more"
    )
    return Flag("randomised_release", why)


def forgotten_key(is_gone: bool) -> Flag | None:
    """``is_gone`` says that attackers held an adapter without the key with which it made the release."""
    if not is_gone:
        return None
    why = (
        "The key of the adapter is destroyed, so attackers who hold the adapter held what is left of it: whoever has a "
        "copy of the key can do more."
    )
    return Flag("forgotten_key", why)


def _draws(number: int) -> str:
    return "the one draw that is published" if number == 1 else f"{number} draws"


def scaling_only(unexplained: float) -> Flag | None:
    """``unexplained`` is what ``unexplained_by_scaling`` gave."""
    if unexplained > SCALING_RESIDUAL:
        return None
    why = (
        f"scaling and moving each dimension of the raw features explains {1 - unexplained:.1%} of the anonymized ones: "
        "whoever standardises them undoes the change"
    )
    return Flag("scaling_only", why)


def raw_at_ceiling(raw: float, *, chance: float) -> Flag | None:
    if raw < chance + CEILING * (1 - chance):
        return None
    why = f"the attack on raw features reaches {raw:.3f}: it could lose much before the number falls"
    return Flag("raw_at_ceiling", why)


def raw_not_above_chance(raw: Interval, *, chance: float) -> Flag | None:
    if raw.low > chance:
        return None
    why = f"raw features reach {raw}, guessing {chance:.3f}: there was nothing to remove for certain"
    return Flag("raw_not_above_chance", why)


def below_chance(worst: Interval, *, chance: float) -> Flag | None:
    """``worst`` is what the best of all attacks reached."""
    if not worst.high < chance:
        return None
    why = (
        f"even the best attack reaches {worst} only, less than guessing ({chance:.3f}): attacks are wrong more often "
        "than by chance, so something is left that somebody could turn round"
    )
    return Flag("below_chance", why)


def linked_turned_round(attacks: Sequence[str], area: Interval) -> Flag | None:
    """``attacks`` are those that linked best, fold by fold, and ``area`` what they reached."""
    if not attacks or not all(name.endswith(TURNED_ROUND) for name in attacks) or not area.low > 0.5:
        return None
    why = (
        "a person's videos are less alike than those of two people, which tells them apart: something was subtracted "
        "that was estimated on these videos, or people each do everything once and the labels name no action"
    )
    return Flag("linked_turned_round", why)


def memorised_consistency(train: float, test: float) -> Flag | None:
    """``train`` and ``test`` are how far the adapter moved those videos, as shares of the raw features' spread."""
    if test < MOVED_SHARE or test < MEMORISED_RATIO * train:
        return None
    why = (
        f"the adapter moved its training videos by {train:.2f} of their spread and test videos by {test:.2f}: it kept "
        "what it was trained on by heart, and new videos fare otherwise"
    )
    return Flag("memorised_consistency", why)


def moved_share(raw: np.ndarray, anonymized: np.ndarray) -> float:
    """How far features (N, D) were moved, as a share of the raw ones' distance from their mean."""
    rows = raw.astype(np.float64)
    spread = np.square(rows - rows.mean(axis=0)).sum()
    return float(np.sqrt(np.square(anonymized - rows).sum() / max(spread, 1e-30)))


def unexplained_by_scaling(raw: np.ndarray, anonymized: np.ndarray) -> float:
    """The share of the variance of anonymized features (N, D) that no scaling of the raw dimensions (N, D) gives.

    1 where the widths differ, 0 where the anonymized features are constant.
    """
    if raw.shape != anonymized.shape:
        return 1.0
    before, after = (rows - rows.mean(axis=0, dtype=np.float64) for rows in (raw, anonymized))
    total = float(np.square(after).sum())
    if total == 0:
        return 0.0
    power = np.square(before).sum(axis=0)
    scale = np.where(power > 0, (before * after).sum(axis=0) / np.where(power > 0, power, 1.0), 0.0)  # (D,)
    return float(np.square(after - before * scale).sum()) / total


def finds_planted(feature: np.ndarray, person: np.ndarray, *, seed: int = 0) -> float:
    """The area under the ROC of the cheapest attack on a secret planted into these features; people are held out.

    Shapes: ``feature`` (V, D), one row per video, ``person`` (V,). Half of the people are moved in one random
    direction, by ``PLANTED_SIZE`` times the spread of the videos; LDA learns from half of the people and is asked about
    the others.
    """
    names = np.unique(person)
    if len(names) < 4:
        raise InputError(f"a planted secret must have four people or more, got {len(names)}.")
    random = np.random.default_rng(seed)
    spread = float(np.sqrt(np.square(feature - feature.mean(axis=0)).sum(axis=1).mean()))
    direction = random.normal(size=feature.shape[1])
    offset = PLANTED_SIZE * (spread if spread > 0 else 1.0) * direction / np.linalg.norm(direction)
    dealt = random.permutation(len(names))
    has_secret, is_known = dealt % 2 == 1, dealt // 2 % 2 == 1  # (P,)
    place = np.searchsorted(names, person)
    target, known = has_secret[place].astype(int), is_known[place]
    planted = (feature + target[:, None] * offset).astype(np.float32)
    data = LabelledFeatures(planted[known], target[known], person[known])
    logits = lda_logits(data, {"preprocessing": "standardise", "shrinkage": 0.1}, num_classes=2)(
        planted[~known]
    )
    score, asked = logits[:, 1] - logits[:, 0], target[~known] == 1
    rows = np.arange(len(score))
    return float(PairScores(score, asked, rows, rows).auc(np.ones((1, len(score))))[0])
