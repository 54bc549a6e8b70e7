"""The LDA attack: linear discriminant analysis with a shrunk covariance, which sees directions of little variance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.preprocess import principal_axes
from latentveil.attacks.selection import Logits, Setting, fit_best, linear_logits


@dataclass(frozen=True, kw_only=True)
class LDA(Attack):
    """Shrinkage LDA: the covariance within classes, mixed with a multiple of the identity."""

    about = "Linear discriminant analysis; sees a secret in directions of very little variance."
    is_built_on = True

    name: str = "lda"
    # Whitening is what the discriminant itself does.
    preprocessings: tuple[str, ...] = ("none", "standardise", "normalise")
    # Down to where rounding of float32 features begins: an adapter may hide a secret in directions of tiny variance.
    shrinkages: tuple[float, ...] = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9)

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        return fit_best(
            self.candidates(knowledge.train, num_classes=knowledge.num_classes),
            knowledge,
            refit=lambda setting, data: lda_logits(data, setting, num_classes=knowledge.num_classes),
        )

    def candidates(self, data: LabelledFeatures, *, num_classes: int) -> Iterator[tuple[Setting, Logits]]:
        """Every preprocessing with every shrinkage, fitted on ``data``."""
        for preprocessing in self.preprocessings:
            path = _shrinkage_path(data, preprocessing, self.shrinkages, num_classes=num_classes)
            for shrinkage, logits in path:
                yield {"preprocessing": preprocessing, "shrinkage": shrinkage}, logits


attack = LDA()


def lda_logits(data: LabelledFeatures, setting: Setting, *, num_classes: int) -> Logits:
    """One chosen discriminant, fitted on ``data``."""
    path = _shrinkage_path(data, setting["preprocessing"], (setting["shrinkage"],), num_classes=num_classes)
    return next(path)[1]


def _shrinkage_path(
    data: LabelledFeatures, preprocessing: str, shrinkages: tuple[float, ...], *, num_classes: int
) -> Iterator[tuple[float, Logits]]:
    """Yield (shrinkage, logits): one eigendecomposition serves them all.

    With covariance S = V diag(v) V' of rank K and its mean variance m, the inverse of (1 - s) S + s m I is
    V diag(1 / ((1 - s) v + s m) - 1 / (s m)) V' + I / (s m).
    """
    transform = data.preprocessing(preprocessing)
    changed = transform(data.feature).astype(np.float64)
    classes, target, counts = np.unique(data.target, return_inverse=True, return_counts=True)
    means = np.stack([changed[target == index].mean(axis=0) for index in range(len(classes))])  # (K, D)
    within = principal_axes(changed - means[target])
    # Features are scaled to a mean variance of 1; classes without any inner variance keep a trace of it.
    mean_variance = max(within.variance.sum() / changed.shape[1], 1e-6)
    along = means @ within.axes
    for shrinkage in shrinkages:
        rest = 1 / (shrinkage * mean_variance)
        inverse = 1 / ((1 - shrinkage) * within.variance + shrinkage * mean_variance)
        weight = (along * (inverse - rest)) @ within.axes.T + means * rest  # (K, D)
        bias = np.log(counts / counts.sum()) - (weight * means).sum(axis=1) / 2
        yield shrinkage, linear_logits(weight, bias, transform, classes=classes, num_classes=num_classes)
