"""The informed attack: who holds the adapter can anonymize known videos again and again, and so look past its noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import logsumexp
from sklearn.svm import SVC

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.blocks import in_blocks
from latentveil.attacks.neighbours import squared_distances
from latentveil.attacks.preprocess import Transform
from latentveil.attacks.selection import Logits, Setting, fit_best, spread_logits


@dataclass(frozen=True, kw_only=True)
class Informed(Attack):
    """A kernel density or a kernel machine over many noisy copies of the known videos; validation chooses which.

    Without redrawn copies it learns from the one published copy, as the other attacks do.
    """

    about = (
        "Kernel density and kernel machine over many noisy copies, as who holds the adapter can make them."
    )

    learns_from_draws = True

    name: str = "informed"
    preprocessings: tuple[str, ...] = ("none", "standardise")
    # Shares of the typical distance between two rows.
    bandwidths: tuple[float, ...] = (0.15, 0.3, 0.6)
    penalties: tuple[float, ...] = (1.0, 10.0)
    max_rows: int = 4000

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        num_classes = knowledge.num_classes

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            data = self._thinned(knowledge.train, knowledge.redrawn_train, seed)
            for preprocessing in self.preprocessings:
                known = _KnownRows.build(data, preprocessing, num_classes)
                for bandwidth in self.bandwidths:
                    setting = {"preprocessing": preprocessing, "model": "density", "value": bandwidth}
                    yield setting, known.density(bandwidth)
                for penalty in self.penalties:
                    setting = {"preprocessing": preprocessing, "model": "machine", "value": penalty}
                    yield setting, known.machine(penalty)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            thinned = self._thinned(data, knowledge.redrawn_everything, seed)
            known = _KnownRows.build(thinned, setting["preprocessing"], num_classes)
            build = known.density if setting["model"] == "density" else known.machine
            return build(setting["value"])

        return fit_best(candidates(), knowledge, refit=refit)

    def _thinned(
        self, published: LabelledFeatures, copies: tuple[LabelledFeatures, ...], seed: int
    ) -> LabelledFeatures:
        """The published rows and their copies as one, at most ``max_rows`` of them; no more are brought together."""
        parts = (published, *copies)
        ends = np.cumsum([len(part) for part in parts])
        rows = np.arange(ends[-1])
        if len(rows) > self.max_rows:
            rows = np.sort(np.random.default_rng(seed).choice(len(rows), self.max_rows, replace=False))
        starts = ends - [len(part) for part in parts]
        chosen = [own - start for own, start in zip(np.split(rows, np.searchsorted(rows, ends[:-1])), starts)]
        return LabelledFeatures(
            np.concatenate([part.feature[own] for part, own in zip(parts, chosen)]),
            np.concatenate([part.target[own] for part, own in zip(parts, chosen)]),
            np.concatenate([part.video[own] for part, own in zip(parts, chosen)]),
        )


attack = Informed()


@dataclass(frozen=True, eq=False)
class _KnownRows:
    """Known rows (N, D) after a preprocessing, their classes (N,), and the models that are built from them."""

    transform: Transform
    rows: np.ndarray
    target: np.ndarray
    num_classes: int

    @classmethod
    def build(cls, data: LabelledFeatures, preprocessing: str, num_classes: int) -> _KnownRows:
        transform = data.preprocessing(preprocessing)
        return cls(transform, transform(data.feature), data.target, num_classes)

    def density(self, bandwidth: float) -> Logits:
        """Each class as likely as its kernel density."""
        scale = bandwidth**2 * 2 * max(float(self.rows.var(axis=0).sum()), 1e-12)
        return in_blocks(partial(self._log_density, scale=scale), num_known=len(self.rows))

    def machine(self, penalty: float) -> Logits:
        """A support vector machine with a Gaussian kernel as wide as the rows spread."""
        if len(np.unique(self.target)) < 2:
            return lambda feature: np.zeros((len(feature), self.num_classes))
        machine = SVC(C=penalty, kernel="precomputed").fit(self._kernel_of_rows, self.target)
        return in_blocks(partial(self._decision, machine=machine), num_known=len(self.rows))

    # Computed here and not by the SVC: matrix products are many times faster, and one kernel serves every penalty.
    @cached_property
    def _kernel_of_rows(self) -> np.ndarray:
        return self._kernel(self.rows)

    def _kernel(self, rows: np.ndarray) -> np.ndarray:
        """The kernel (M, N) between rows (M, D) and the known ones, float64 as the SVC wants it."""
        spread = max(float(self.rows.var(dtype=np.float64)), 1e-12)
        kernel = squared_distances(rows, self.rows)
        kernel *= -1 / (rows.shape[1] * spread)
        return np.exp(kernel, out=kernel).astype(np.float64)

    def _log_density(self, feature: np.ndarray, *, scale: float) -> np.ndarray:
        """The log of each class' Gaussian kernel density (M, C) at features (M, D), classes weighed as frequent."""
        exponents = -squared_distances(self.transform(feature), self.rows) / scale  # (M, N)
        floor = exponents.max(axis=1, keepdims=True) - 50.0
        columns = [
            logsumexp(np.concatenate([exponents[:, self.target == label], floor], axis=1), axis=1)
            for label in range(self.num_classes)
        ]
        return np.stack(columns, axis=1)

    def _decision(self, feature: np.ndarray, *, machine: SVC) -> np.ndarray:
        values = machine.decision_function(self._kernel(self.transform(feature)))
        if values.ndim == 1:  # two classes: one margin
            values = np.stack([-values, values], axis=1)
        return spread_logits(values, machine.classes_, self.num_classes)
