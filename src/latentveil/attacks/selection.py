"""How an attack chooses among candidates on validation videos, and fits the chosen one again on all it knows.

Every candidate is also tried turned round: what was estimated on a release and taken away leaves a person's videos less
like each other than like anybody else's, and then the least likely answer is the right one. Which way round is chosen
on validation videos like everything else, so that test videos are answered once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import softmax

from latentveil.attacks.base import AttackerKnowledge, FittedAttack, LabelledFeatures, Score, video_means
from latentveil.attacks.preprocess import Transform
from latentveil.errors import InputError
from latentveil.metrics.classification import average_precision, top1_accuracy

# Features (N, D) -> logits (N, C).
Logits = Callable[[np.ndarray], np.ndarray]
Setting = dict[str, Any]

TEMPERATURES = np.logspace(-0.5, 2.5, 13)
# Turned round must be right on more validation videos than straight, by this many standard errors of the difference: a
# few people who happen to be told wrongly must not turn round an attack that works.
CLEARLY = 2.0
# What a setting says of an attack that was turned round.
TURNED_ROUND = {"turned_round": True}


@dataclass(frozen=True)
class Choice:
    """What validation chose: a candidate's setting, the temperature of its answers, its score, and which way round.

    ``num_right`` is for how many validation videos its features spoke for the right class.
    """

    setting: Setting
    temperature: float
    score: Score
    num_right: int = 0
    turned: bool = False


def choose(
    candidates: Iterable[tuple[Setting, Logits]],
    validation: LabelledFeatures,
    *,
    frequency: np.ndarray | None = None,
) -> Choice:
    """The candidate that is best on validation, the first of equals.

    Its logits are to be divided by the temperature with the least log loss, so that the answers of a confident model
    can be averaged over clips and compared between folds. With ``frequency``, the share (C,) of each class among what
    the candidates learned from, all of them are also tried turned round.
    """
    straight: list[Choice] = []
    turned: list[Choice] = []
    for setting, logits in candidates:
        answers = logits(validation.feature)
        straight.append(_graded(setting, answers, validation, frequency))
        if frequency is not None:
            backwards = turn_round(answers, frequency)
            turned.append(replace(_graded(setting, backwards, validation, frequency), turned=True))
    if not straight:
        raise InputError(
            "an attack must have at least one candidate to choose, got none. Check its parameters."
        )
    best = max(straight, key=lambda choice: choice.score)
    rival = max(turned, key=lambda choice: choice.score, default=best)
    gain = rival.num_right - best.num_right
    is_clear = gain > CLEARLY * np.sqrt(rival.num_right + best.num_right)
    return rival if is_clear and rival.score > best.score else best


def _graded(
    setting: Setting, answers: np.ndarray, validation: LabelledFeatures, frequency: np.ndarray | None
) -> Choice:
    """A candidate whose logits for the clips of ``validation`` are ``answers`` (N, C)."""
    temperature = best_temperature(answers, validation.target)
    probabilities = softmax(answers / temperature, axis=1)
    score = validation_score(probabilities, validation)
    if frequency is None:
        return Choice(setting, temperature, score)
    _, per_video = video_means(probabilities, validation.video)
    rise = per_video / np.where(frequency > 0, frequency, np.inf)  # (V, C)
    num_right = int((rise.argmax(axis=1) == validation.video_targets()).sum())
    return Choice(setting, temperature, score, num_right)


def turn_round(logits: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """Logits (N, C) whose evidence speaks against what it spoke for; how frequent a class is (C,) counts as before.

    A logit is the log of the frequency plus the evidence. Classes that nothing was learned of stay far below.
    """
    learned = np.flatnonzero(frequency > 0)
    turned = 2 * np.log(frequency[learned]) - logits[:, learned]
    return spread_logits(turned, learned, len(frequency))


def fit_best(
    candidates: Iterable[tuple[Setting, Logits]],
    knowledge: AttackerKnowledge,
    *,
    refit: Callable[[Setting, LabelledFeatures], Logits],
) -> FittedAttack:
    """The candidate (fitted on the training part) that validation chooses, fitted again on both parts when first asked.

    Turned round where validation says so; ``setting`` then says that too.
    """
    shares = knowledge.train.class_shares(knowledge.num_classes)
    choice = choose(candidates, knowledge.validation, frequency=shares)

    @cache
    def refitted() -> Logits:
        logits = refit(choice.setting, knowledge.everything)
        if not choice.turned:
            return logits
        shares = knowledge.everything.class_shares(knowledge.num_classes)
        return lambda feature: turn_round(logits(feature), shares)

    return FittedAttack(
        lambda feature: softmax(refitted()(feature) / choice.temperature, axis=1),
        choice.score,
        choice.setting | (TURNED_ROUND if choice.turned else {}),
    )


def validation_score(probabilities: np.ndarray, validation: LabelledFeatures) -> Score:
    """The metric that the audit reports, per video, then minus the log loss; probabilities (N, C) of the clips.

    Two classes: average precision of class 1, which is undefined, and left to the log loss, where validation shows
    one class only. More classes: top-1 accuracy.
    """
    _, per_video = video_means(probabilities, validation.video)  # (V, C)
    target = validation.video_targets()
    if per_video.shape[1] > 2:
        metric = float(top1_accuracy(target, per_video))
    else:
        metric = float(average_precision(target, per_video[:, 1])) if len(np.unique(target)) > 1 else 0.0
    log_loss = -np.log(np.maximum(per_video[np.arange(len(target)), target], 1e-12)).mean()
    return metric, -float(log_loss)


def best_temperature(logits: np.ndarray, target: np.ndarray) -> float:
    """The temperature with the least log loss of logits (N, C) for classes (N,)."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    right = shifted[np.arange(len(target)), target].mean()
    losses = [
        np.log(np.exp(shifted / temperature).sum(axis=1)).mean() - right / temperature
        for temperature in TEMPERATURES
    ]
    return float(TEMPERATURES[int(np.argmin(losses))])


def spread_logits(logits: np.ndarray, classes: np.ndarray, num_classes: int) -> np.ndarray:
    """Logits (N, K) of the K classes that training showed, as (N, C): far below them all for the classes it lacked."""
    if len(classes) == num_classes:
        return logits
    spread = np.repeat(logits.min(axis=1, keepdims=True) - 10.0, num_classes, axis=1)  # (N, C)
    spread[:, classes] = logits
    return spread


def linear_logits(
    weight: np.ndarray, bias: np.ndarray, transform: Transform, *, classes: np.ndarray, num_classes: int
) -> Logits:
    """A linear model (K, D), (K,) of the K ``classes`` that training showed, behind a change of features."""
    return lambda feature: spread_logits(transform(feature) @ weight.T + bias, classes, num_classes)
