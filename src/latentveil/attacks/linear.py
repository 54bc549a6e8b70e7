"""The linear attack: logistic regression, from strong to weak penalty, under each preprocessing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.preprocess import PREPROCESSINGS, Transform
from latentveil.attacks.selection import Logits, Setting, fit_best, linear_logits


@dataclass(frozen=True, kw_only=True)
class Linear(Attack):
    """Multinomial logistic regression; the preprocessing and the penalty are chosen on validation."""

    about = "Logistic regression, from a strong to a weak penalty."
    is_built_on = True

    name: str = "linear"
    preprocessings: tuple[str, ...] = PREPROCESSINGS
    # scikit-learn's C: the inverse of the L2 penalty.
    strengths: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    max_iterations: int = 100

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        num_classes = knowledge.num_classes

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            for preprocessing in self.preprocessings:
                path = self._path(knowledge.train, preprocessing, self.strengths, num_classes=num_classes)
                for strength, logits in path:
                    yield {"preprocessing": preprocessing, "strength": strength}, logits

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            strengths = (setting["strength"],)
            return next(self._path(data, setting["preprocessing"], strengths, num_classes=num_classes))[1]

        return fit_best(candidates(), knowledge, refit=refit)

    def _path(
        self, data: LabelledFeatures, preprocessing: str, strengths: tuple[float, ...], *, num_classes: int
    ) -> Iterator[tuple[float, Logits]]:
        """Yield (strength, logits) of logistic regressions, each started from the one before."""
        transform = data.preprocessing(preprocessing)
        changed = transform(data.feature)
        model = LogisticRegression(warm_start=True, max_iter=self.max_iterations, tol=1e-3)
        for strength in strengths:
            model.C = strength
            with warnings.catch_warnings():
                # A path point that stops early is one more candidate, and validation judges it.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(changed, data.target)
            yield strength, _folded(model, transform, num_classes)


attack = Linear()


def _folded(model: LogisticRegression, transform: Transform, num_classes: int) -> Logits:
    """The model's present weights as a function; the model itself goes on along the path."""
    weight, bias, classes = model.coef_.copy(), model.intercept_.copy(), model.classes_
    if len(classes) == 2:
        weight, bias = (
            np.concatenate([-weight, weight]) / 2,
            np.concatenate([-bias, bias]) / 2,
        )  # (2, D), (2,)
    return linear_logits(weight, bias, transform, classes=classes, num_classes=num_classes)
