"""The paired attack: learns the way back from pairs of raw and anonymized clips, then asks a raw-feature classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from sklearn.kernel_ridge import KernelRidge
from torch import nn

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.lda import LDA, lda_logits
from latentveil.attacks.network import NetworkTrainer, network_outputs
from latentveil.attacks.preprocess import PrincipalAxes, Transform, fit_preprocessing, principal_axes
from latentveil.attacks.selection import Logits, Setting, fit_best

# Anonymized features (N, D) -> raw features (N, D').
WayBack = Callable[[np.ndarray], np.ndarray]

# The network reads and gives this many principal coordinates, which keeps its training within a second or two.
NETWORK_DIMENSIONS = 256
MAX_KERNEL_ROWS = 1500
# One pair in this many is held out to tell the network when to stop; with fewer pairs there is no network.
HELD_OUT_EVERY = 5


@dataclass(frozen=True, kw_only=True)
class Paired(Attack):
    """Undoes the adapter by ridge, kernel ridge or a network, then applies shrinkage LDA fitted on raw features.

    The pairs are the clips of the training part: whoever could run a few videos through both pipelines has them.
    """

    about = (
        "Learns the way back from pairs of raw and anonymized clips, then asks a classifier of raw features."
    )
    needs_raw = True

    name: str = "paired"
    # Shares of the mean variance (ridge) and of the kernel's diagonal (kernel ridge).
    ridge_penalties: tuple[float, ...] = (1e-6, 1e-4, 1e-2, 1.0)
    kernel_penalties: tuple[float, ...] = (1e-3, 1e-1)
    classifier: LDA = field(default_factory=LDA)

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        raw, num_classes = knowledge.raw, knowledge.num_classes
        classifier = self.classifier.fit_once(raw, seed=seed).setting

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            judge = lda_logits(raw.train, classifier, num_classes=num_classes)
            for way, way_back in _fit_ways(self._ways(knowledge), knowledge.train, raw.train, seed=seed):
                yield way, _through(way_back, judge)

        def refit(way: Setting, data: LabelledFeatures) -> Logits:
            judge = lda_logits(raw.everything, classifier, num_classes=num_classes)
            [(_, way_back)] = _fit_ways([way], data, raw.everything, seed=seed)
            return _through(way_back, judge)

        return fit_best(candidates(), knowledge, refit=refit)

    def _ways(self, knowledge: AttackerKnowledge) -> Iterator[Setting]:
        """The ways back to try; nothing is to be undone where the features are the raw ones."""
        under_attack, raw = knowledge.train.feature, knowledge.raw.train.feature
        if under_attack.shape == raw.shape:
            yield {"way_back": "none"}
            if np.array_equal(under_attack, raw):
                return
        yield from ({"way_back": "ridge", "penalty": penalty} for penalty in self.ridge_penalties)
        yield from ({"way_back": "kernel", "penalty": penalty} for penalty in self.kernel_penalties)
        if len(under_attack) >= HELD_OUT_EVERY:
            yield {"way_back": "network"}


attack = Paired()


def _fit_ways(
    ways: Iterable[Setting], pairs: LabelledFeatures, raw: LabelledFeatures, *, seed: int
) -> Iterator[tuple[Setting, WayBack]]:
    """Yield each of ``ways``, fitted from the features of ``pairs`` (N, D) to the same clips' ``raw`` ones (N, D')."""
    fit_ridge = _prepare_ridge(pairs.feature, raw.feature)
    for way in ways:
        if way["way_back"] == "none":
            yield way, lambda feature: feature
        elif way["way_back"] == "ridge":
            yield way, fit_ridge(way["penalty"])
        elif way["way_back"] == "kernel":
            yield way, _fit_kernel_ridge(pairs.feature, raw.feature, penalty=way["penalty"])
        else:
            yield way, _fit_network(pairs.feature, raw.feature, seed=seed)


def _prepare_ridge(feature: np.ndarray, raw: np.ndarray) -> Callable[[float], WayBack]:
    """Ridge regression for any penalty, after one eigendecomposition that is made when first asked for."""

    @cache
    def decomposed() -> tuple[Transform, PrincipalAxes, np.ndarray, np.ndarray]:
        transform = fit_preprocessing("none", feature)
        changed, mean = transform(feature).astype(np.float64), raw.mean(axis=0, dtype=np.float64)
        principal = principal_axes(changed)
        covariance = (changed @ principal.axes).T @ (raw - mean) / len(feature)  # (K, D')
        return transform, principal, covariance, mean

    def fit(penalty: float) -> WayBack:
        transform, principal, covariance, mean = decomposed()
        weight = principal.axes @ (covariance / (principal.variance + penalty)[:, None])  # (D, D')
        return lambda other: transform(other) @ weight + mean

    return fit


def _fit_kernel_ridge(feature: np.ndarray, raw: np.ndarray, *, penalty: float) -> WayBack:
    rows = np.linspace(0, len(feature) - 1, min(len(feature), MAX_KERNEL_ROWS)).astype(int)
    feature, raw = feature[rows], raw[rows]
    transform = fit_preprocessing("none", feature)
    mean = raw.mean(axis=0, dtype=np.float64)
    # Scaled features have a mean squared distance of 2 D; the kernel is as wide as that.
    kernel = KernelRidge(kernel="rbf", gamma=0.5 / feature.shape[1], alpha=penalty)
    kernel.fit(transform(feature).astype(np.float64), raw - mean)
    return lambda other: kernel.predict(transform(other).astype(np.float64)) + mean


def _fit_network(feature: np.ndarray, raw: np.ndarray, *, seed: int) -> WayBack:
    """A network between principal coordinates; a fifth of the pairs tells when to stop."""
    transform = fit_preprocessing("whiten", feature, max_components=NETWORK_DIMENSIONS)
    mean = raw.mean(axis=0, dtype=np.float64)
    principal = principal_axes(raw - mean)
    axes = principal.axes[:, :NETWORK_DIMENSIONS]  # (D', K)
    scale = float(np.sqrt(principal.variance[: axes.shape[1]].mean())) if axes.shape[1] else 1.0
    inputs = torch.from_numpy(transform(feature))
    outputs = torch.from_numpy(((raw - mean) @ axes / scale).astype(np.float32))
    held_out = torch.arange(len(inputs)) % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    trainer = NetworkTrainer(nn.functional.mse_loss, axes.shape[1], seed)
    network, _ = trainer.fit((inputs[~held_out], outputs[~held_out]), (inputs[held_out], outputs[held_out]))
    return lambda other: network_outputs(network, transform(other)) * scale @ axes.T + mean


def _through(way_back: WayBack, judge: Logits) -> Logits:
    return lambda feature: judge(way_back(feature).astype(np.float32))
