"""Rare classes that top-1 accuracy does not see: where one answer is nearly always right, others hardly count."""

from __future__ import annotations

import numpy as np

from latentveil.auditing.answers import TOP1, SecretAnswers
from latentveil.auditing.leakage import lies_above
from latentveil.auditing.risks.inference import balanced_mean, right_by_rise
from latentveil.labels import IDENTITY
from latentveil.metrics.intervals import SHARE, interval_over_groups
from latentveil.report.words import plain
from latentveil.results.audit import Flag, SecretLeakage
from latentveil.types import Interval

# A class of fewer tested people is right or wrong by luck.
MIN_PEOPLE = 5


def flag_rare_classes(answers: SecretAnswers, found: SecretLeakage, *, seed: int) -> list[Flag]:
    """A flag where attacks come clearly farther with every class counting the same than by top-1 accuracy.

    ``answers`` are those to anonymized features and ``found`` is what was made of them.
    """
    if (
        answers.metric != TOP1
        or answers.secret in (IDENTITY, "person")
        or _fewest_people(answers) < MIN_PEOPLE
    ):
        return []
    balanced = {name: _balanced(answers, name, seed=seed) for name in answers.probabilities}
    attack = max(balanced, key=lambda name: balanced[name].value)
    chance, best = 1 / len(answers.classes), balanced[attack]
    learned = 0.0 if found.learned is None else max(found.learned.value, 0.0)
    if not lies_above(best, chance + learned * (1 - chance)):
        return []
    why = (
        f"{plain(answers.secret).capitalize()} in {answers.kind} clips: the most frequent class is right for "
        f"{answers.chance:.0%} of videos, so that top-1 accuracy hardly sees the others. With every class counting the "
        f"same, {attack} is right for {best}, guessing for {chance:.3f}: more is left than the share that is gone says."
    )
    return [Flag("rare_classes_unseen", why)]


def _fewest_people(answers: SecretAnswers) -> int:
    """How many people, or videos where nobody is named, the rarest tested class has."""
    return min(len(np.unique(answers.group[answers.target == name])) for name in np.unique(answers.target))


def _balanced(answers: SecretAnswers, attack: str, *, seed: int) -> Interval:
    """The share of videos that an attack is right about, each class counting the same."""
    right = right_by_rise(answers, attack)
    return interval_over_groups(
        lambda weights: balanced_mean(right, answers.target, weights), answers.group, seed=seed, limits=SHARE
    )
