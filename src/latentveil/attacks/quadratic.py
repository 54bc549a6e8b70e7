"""The quadratic attack: a Gaussian of its own for every class, which sees what only shows in how features vary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.preprocess import principal_axes
from latentveil.attacks.selection import Logits, Setting, fit_best, spread_logits


@dataclass(frozen=True, kw_only=True)
class Quadratic(Attack):
    """Quadratic discriminant analysis on whitened features: a mean and a shrunk covariance per class.

    Linear attacks compare means. Where the means of all classes are alike, a class may still vary more than others in
    some direction; or less, where something was fitted to its rows and taken away, and then validation turns it round.
    """

    about = (
        "Quadratic discriminant analysis; sees a secret in how much features vary, and in which directions."
    )

    name: str = "quadratic"
    num_dimensions: tuple[int, ...] = (16, 64, 256)
    # Towards the covariance of all classes together. A class of few rows needs much of it.
    shrinkages: tuple[float, ...] = (0.1, 0.5, 0.9)

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        num_classes = knowledge.num_classes

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            there = min(knowledge.train.feature.shape)
            for count in sorted({min(count, there) for count in self.num_dimensions}):
                path = _shrinkage_path(knowledge.train, count, self.shrinkages, num_classes=num_classes)
                for shrinkage, logits in path:
                    yield {"dimensions": count, "shrinkage": shrinkage}, logits

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            return quadratic_logits(
                data, setting["dimensions"], setting["shrinkage"], num_classes=num_classes
            )

        return fit_best(candidates(), knowledge, refit=refit)


attack = Quadratic()


def quadratic_logits(data: LabelledFeatures, count: int, shrinkage: float, *, num_classes: int) -> Logits:
    """One chosen discriminant in ``count`` whitened directions, fitted on ``data``."""
    return next(_shrinkage_path(data, count, (shrinkage,), num_classes=num_classes))[1]


def _shrinkage_path(
    data: LabelledFeatures, count: int, shrinkages: tuple[float, ...], *, num_classes: int
) -> Iterator[tuple[float, Logits]]:
    """Yield (shrinkage, logits): one decomposition per class serves them all.

    With the covariance S = V diag(v) V' of a class's rows, of rank R, the inverse of (1 - s) S + s I is
    V diag(1 / ((1 - s) v + s) - 1 / s) V' + I / s.
    """
    transform = data.preprocessing("whiten", max_components=count)
    white = transform(data.feature).astype(np.float64)  # (N, K)
    classes, target, counts = np.unique(data.target, return_inverse=True, return_counts=True)
    means = np.stack([white[target == index].mean(axis=0) for index in range(len(classes))])  # (C, K)
    principal = [principal_axes(white[target == index] - means[index]) for index in range(len(classes))]
    frequency = np.log(counts / counts.sum())

    def logits_of(shrinkage: float) -> Logits:
        def logits(feature: np.ndarray) -> np.ndarray:
            rows = transform(feature).astype(np.float64)  # (M, K)
            found = np.empty((len(rows), len(classes)))
            for index, (mean, own) in enumerate(zip(means, principal)):
                variance = (1 - shrinkage) * own.variance + shrinkage  # (R,)
                around = rows - mean
                distance = np.square(around).sum(axis=1) / shrinkage
                distance += np.square(around @ own.axes) @ (1 / variance - 1 / shrinkage)
                volume = np.log(variance).sum() + (rows.shape[1] - len(variance)) * np.log(shrinkage)
                found[:, index] = frequency[index] - (distance + volume) / 2
            return spread_logits(found, classes, num_classes)

        return logits

    for shrinkage in shrinkages:
        yield shrinkage, logits_of(shrinkage)
