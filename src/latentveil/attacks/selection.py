"""How an attack chooses among candidates on validation videos, and fits the chosen one again on all it knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Choice:
    """What validation chose: a candidate's setting, the temperature of its answers, and its score."""

    setting: Setting
    temperature: float
    score: Score


def choose(candidates: Iterable[tuple[Setting, Logits]], validation: LabelledFeatures) -> Choice:
    """The candidate that is best on validation, the first of equals.

    Its logits are to be divided by the temperature with the least log loss, so that the answers of a confident model
    can be averaged over clips and compared between folds.
    """
    choices = []
    for setting, logits in candidates:
        answers = logits(validation.feature)
        temperature = best_temperature(answers, validation.target)
        score = validation_score(softmax(answers / temperature, axis=1), validation)
        choices.append(Choice(setting, temperature, score))
    if not choices:
        raise InputError(
            "an attack must have at least one candidate to choose, got none. Check its parameters."
        )
    return max(choices, key=lambda choice: choice.score)


def fit_best(
    candidates: Iterable[tuple[Setting, Logits]],
    knowledge: AttackerKnowledge,
    *,
    refit: Callable[[Setting, LabelledFeatures], Logits],
) -> FittedAttack:
    """The candidate (fitted on the training part) that validation chooses, fitted again on both parts."""
    choice = choose(candidates, knowledge.validation)
    logits = refit(choice.setting, knowledge.everything)
    return FittedAttack(
        lambda feature: softmax(logits(feature) / choice.temperature, axis=1), choice.score, choice.setting
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
