"""What attackers answer about one secret for the videos they have not seen, gathered over folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack, AttackerKnowledge, VideoAnswers
from latentveil.auditing.arena import Arena
from latentveil.auditing.sides import answer, sides_of
from latentveil.auditing.splits import Fold, attack_folds, groups_for
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels
from latentveil.machine.threads import threads_for
from latentveil.metrics import classification as metrics
from latentveil.metrics.intervals import WeightedStatistic
from latentveil.progress import OnProgress, Progress, silent
from latentveil.types import FeatureSet

AVERAGE_PRECISION = "average_precision"
TOP1 = "top1"


@dataclass(frozen=True, eq=False)
class SecretAnswers:
    """What every attack answered for the tested videos, each video tested once.

    Shapes: ``video``, ``group`` (the person, or the video) and ``target`` (V,); ``probabilities`` {attack: (V, C)}.
    ``settings`` tells what each attack chose on validation, fold by fold. ``frequency`` (C,) is the share of each class
    among all videos whose secret is known, tested or not. ``metric`` is average precision of the
    second class for two classes, top-1 accuracy for more and for identity.
    """

    secret: str
    kind: str
    metric: str
    classes: tuple[str, ...]
    video: np.ndarray
    group: np.ndarray
    target: np.ndarray
    frequency: np.ndarray
    probabilities: dict[str, np.ndarray]
    settings: dict[str, list[dict[str, Any]]]

    @property
    def chance(self) -> float:
        """Prevalence for average precision, the accuracy of a blind guess for top-1, on the tested videos."""
        return float(self.chance_statistic(np.ones((1, len(self.target))))[0])

    def chance_statistic(self, weights: np.ndarray) -> np.ndarray:
        """The chance level of each resample, weights (R, V) -> (R,)."""
        if self.metric == AVERAGE_PRECISION:
            return np.asarray(metrics.prevalence(self.target, weights))
        return np.asarray(metrics.blind_accuracy(self.target, self.frequency, weights))

    def statistic(self, attack: str) -> WeightedStatistic:
        """The metric of one attack, as a statistic of weights (R, V)."""
        answer = self.probabilities[attack]
        if self.metric == AVERAGE_PRECISION:
            return lambda weights: np.asarray(metrics.average_precision(self.target, answer[:, 1], weights))
        return lambda weights: np.asarray(metrics.top1_accuracy(self.target, answer, weights))

    def value(self, attack: str) -> float:
        """The metric of one attack over all tested videos."""
        return float(self.statistic(attack)(np.ones((1, len(self.target))))[0])

    @property
    def best_attack(self) -> str:
        """The name of the most successful attack, the first of equals."""
        return max(self.probabilities, key=self.value)

    def details(self, attack: str) -> dict[str, float]:
        """Further numbers of one attack: cMAP over classes, top-1, F1 at probability 0.5 and at logit 0.5."""
        answer = self.probabilities[attack]
        paper = metrics.PAPER_THRESHOLD
        return {
            "cmap": metrics.class_mean_average_precision(self.target, answer),
            "top1": float(metrics.top1_accuracy(self.target, answer)),
            "f1": metrics.f1_of_probabilities(self.target, answer),
            "f1_logit": metrics.f1_of_probabilities(self.target, answer, threshold=paper),
        }


def attack_secret(
    features: FeatureSet,
    raw: FeatureSet,
    labels: Labels,
    secret: str,
    *,
    kind: str,
    attacks: str | Sequence[str | Attack] = "all",
    seed: int = 0,
    redrawn: Sequence[FeatureSet] = (),
    shared: dict[Fold, AttackerKnowledge] | None = None,
    on_progress: OnProgress = silent,
) -> SecretAnswers:
    """Fit every attack on ``features``, the same clips' ``raw`` features at hand, and gather its answers.

    ``redrawn`` are copies of ``features`` with other noise, as an attacker can make them who holds the adapter.

    Videos without a value of the secret are left out. The folds come from ``splits.attack_folds``; attacks see the
    training and validation part of each (of very many clips a sample, see ``sampling``) and answer once for its test
    part. ``on_progress`` is told each attack.
    ``shared`` keeps what is learned of raw features for the next call with the same folds; of one fold only, since
    every fold has its own copy of the features.
    """
    arena, known = _enter(features, raw, labels, secret, kind=kind, redrawn=redrawn, seed=seed)
    folds = attack_folds(known, secret, seed=seed)
    frequency = np.bincount(arena.class_of_video(known.video), minlength=len(arena.classes)) / len(
        known.video
    )
    loaded = load_attacks(attacks)
    answered: dict[str, list[VideoAnswers]] = {attack.name: [] for attack in loaded}
    for number, fold in enumerate(folds):
        # Built once for all attacks: they share what is learned of the features before any of them begins.
        kept = shared if len(folds) == 1 else None
        sides = sides_of(arena, known, fold, secret, shared_raw=kept.get(fold) if kept else None)
        knowledge = sides[0].knowledge
        if kept is not None:
            kept[fold] = knowledge.raw
        for place, attack in enumerate(loaded, start=1):
            with threads_for(arena.features.feature.size):
                found = answer(attack, sides, seed=seed)
            if len(folds) > 1:
                shifted = shift_prior(found.probabilities, knowledge.class_frequencies(), frequency)
                found = replace(found, probabilities=shifted)
            answered[attack.name].append(found)
            done = (number * len(loaded) + place) // len(folds)  # in attacks, of which each takes all folds
            on_progress(Progress(f"{secret}, {kind} clips", done, len(loaded), attack.name))
    video = np.concatenate([np.unique(fold.test) for fold in folds])
    return SecretAnswers(
        secret=secret,
        kind=kind,
        metric=AVERAGE_PRECISION if len(arena.classes) == 2 and secret != IDENTITY else TOP1,
        classes=arena.classes,
        video=video,
        group=groups_for(known, secret)[known.places(video)],
        target=arena.class_of_video(video),
        frequency=frequency,
        probabilities={
            name: np.concatenate([found.probabilities for found in parts]) for name, parts in answered.items()
        },
        settings={name: [found.setting for found in parts] for name, parts in answered.items()},
    )


def _enter(
    features: FeatureSet,
    raw: FeatureSet,
    labels: Labels,
    secret: str,
    *,
    kind: str,
    redrawn: Sequence[FeatureSet],
    seed: int,
) -> tuple[Arena, Labels]:
    """The clips of ``kind`` under attack, and the labels of their videos whose secret is known."""
    for copy in (features, *redrawn):
        check_same_clips(raw, copy)
    is_kind = raw.kind == kind
    if not is_kind.any():
        raise InputError(
            f"features must have clips of kind {kind!r}, got none. Extract them or audit another kind."
        )
    known = labels.only(labels.video[labels.column(secret) != ""]).only(raw.video[is_kind])
    of_kind = raw.select(is_kind)
    under_attack = of_kind if features is raw else features.select(is_kind)
    places = np.flatnonzero(is_kind)
    return Arena.build(under_attack, of_kind, tuple(redrawn), places, known, secret, seed=seed), known


def shift_prior(probabilities: np.ndarray, prior: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Bayes: answers (V, C) given under the class frequencies ``prior`` (C,), restated under the ``common`` ones.

    A fold that tests many of a class has trained on few of it. Pooled as they are, the answers of a model that knows
    nothing would rank the folds against the truth, and weak leakage would look like none.
    """
    ratio = np.where(prior > 0, common / np.where(prior > 0, prior, 1.0), 1.0)
    shifted = probabilities * ratio
    shifted = shifted / shifted.sum(axis=1, keepdims=True)
    # Answers that differ in the last bit only are equal, and must stay equal when they are ranked.
    return np.round(shifted, 12)


def check_same_clips(raw: FeatureSet, anonymized: FeatureSet) -> None:
    """Refuse feature sets that are not of the same clips in the same order."""
    if len(raw) != len(anonymized):
        raise InputError(
            f"anonymized features must have {len(raw)} rows like the raw ones, got {len(anonymized)}."
        )
    for column in ("video", "kind", "view", "clip"):
        if not np.array_equal(getattr(raw, column), getattr(anonymized, column)):
            raise InputError(
                f"anonymized features must be of the same clips as the raw ones, got another {column}. "
                "Sort both alike, or apply the adapter to this very store."
            )
