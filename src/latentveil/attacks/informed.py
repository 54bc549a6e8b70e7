"""The informed attack: who holds the adapter can anonymize known videos again and again, and so look past its noise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import logsumexp
from sklearn.svm import SVC

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.neighbours import squared_distances
from latentveil.attacks.preprocess import Transform, fit_preprocessing
from latentveil.attacks.selection import Logits, Setting, fit_best, spread_logits

PREPROCESSINGS = ("none", "standardise")
BANDWIDTHS = (0.15, 0.3, 0.6)  # of the typical distance between two rows
PENALTIES = (1.0, 10.0)
MAX_COMPONENTS = 64
MAX_ROWS = 4000


class InformedAttack(Attack):
    """A kernel density or a kernel machine over many noisy copies of the known videos; validation chooses which.

    Without redrawn copies it learns from the one published copy, as the other attacks do.
    """

    name = "informed"

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        def candidates() -> Iterator[tuple[Setting, Logits]]:
            data = _thinned(knowledge.train, knowledge.redrawn_train, seed)
            for preprocessing in PREPROCESSINGS:
                for bandwidth in BANDWIDTHS:
                    setting = {"preprocessing": preprocessing, "model": "density", "value": bandwidth}
                    yield setting, _model(setting, data, num_classes)
                for penalty in PENALTIES:
                    setting = {"preprocessing": preprocessing, "model": "machine", "value": penalty}
                    yield setting, _model(setting, data, num_classes)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            return _model(setting, _thinned(data, knowledge.redrawn_everything, seed), num_classes)

        num_classes = knowledge.num_classes
        return fit_best(candidates(), knowledge, refit=refit)


def _thinned(
    published: LabelledFeatures, copies: tuple[LabelledFeatures, ...], seed: int
) -> LabelledFeatures:
    """The published rows and their copies as one, at most ``MAX_ROWS`` of them."""
    for copy in copies:
        published = published.and_also(copy)
    if len(published) <= MAX_ROWS:
        return published
    rows = np.sort(np.random.default_rng(seed).choice(len(published), MAX_ROWS, replace=False))
    return LabelledFeatures(published.feature[rows], published.target[rows], published.video[rows])


def _model(setting: Setting, data: LabelledFeatures, num_classes: int) -> Logits:
    transform = fit_preprocessing(setting["preprocessing"], data.feature, max_components=MAX_COMPONENTS)
    known = transform(data.feature)
    if setting["model"] == "density":
        scale = setting["value"] ** 2 * 2 * max(float(known.var(axis=0).sum()), 1e-12)
        return partial(
            _log_density,
            transform=transform,
            known=known,
            target=data.target,
            scale=scale,
            num_classes=num_classes,
        )
    if len(np.unique(data.target)) < 2:
        return lambda feature: np.zeros((len(feature), num_classes))
    machine = SVC(C=setting["value"], decision_function_shape="ovr").fit(known, data.target)
    return partial(_decision, machine=machine, transform=transform, num_classes=num_classes)


def _log_density(
    feature: np.ndarray,
    *,
    transform: Transform,
    known: np.ndarray,
    target: np.ndarray,
    scale: float,
    num_classes: int,
) -> np.ndarray:
    """The log of each class' Gaussian kernel density (M, C) at features (M, D), classes weighed as frequent."""
    exponents = -squared_distances(transform(feature), known) / scale  # (M, N)
    floor = exponents.max(axis=1, keepdims=True) - 50.0
    columns = [
        logsumexp(np.concatenate([exponents[:, target == label], floor], axis=1), axis=1)
        for label in range(num_classes)
    ]
    return np.stack(columns, axis=1)


def _decision(feature: np.ndarray, *, machine: SVC, transform: Transform, num_classes: int) -> np.ndarray:
    values = machine.decision_function(transform(feature))
    if values.ndim == 1:  # two classes: one margin
        values = np.stack([-values, values], axis=1)
    return spread_logits(values, machine.classes_, num_classes)
