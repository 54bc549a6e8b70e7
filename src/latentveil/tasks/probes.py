"""A linear probe whose preprocessing and regularisation are chosen on validation rows, folded into one linear map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import Tensor, nn

from latentveil.errors import InputError

SHRINKAGES = (0.01, 0.05, 0.2, 0.5, 0.9)
WHITENING_SHRINKAGE = 0.1
PENALTIES = (1e-1, 1e-2, 1e-3)
MAX_STEPS = 20
# More rows than this no longer change a linear probe of about a thousand dimensions; it keeps a fit within seconds.
MAX_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """A fitted linear map from features (N, D) to logits (N, C).

    Shapes: ``weight`` (C, D) and ``bias`` (C,) float32. ``description`` says what was chosen and its validation score.
    """

    weight: np.ndarray
    bias: np.ndarray
    description: str

    def logits(self, features: np.ndarray) -> np.ndarray:
        """The logits (N, C) of features (N, D)."""
        return features @ self.weight.T + self.bias

    def to_linear(self) -> nn.Linear:
        """The probe as a layer ``nn.Linear(D, C)``."""
        linear = nn.Linear(self.weight.shape[1], self.weight.shape[0])
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(self.weight))
            linear.bias.copy_(torch.from_numpy(self.bias))
        return linear


@dataclass(frozen=True, eq=False)
class _Basis:
    """A linear change of features: ``(x - mean) @ transform``, from (N, D) to (N, D)."""

    name: str
    mean: Tensor
    transform: Tensor

    def apply(self, features: Tensor) -> Tensor:
        centred = features - self.mean
        return centred * self.transform if self.transform.ndim == 1 else centred @ self.transform

    def fold(self, weight: Tensor, bias: Tensor, description: str) -> LinearProbe:
        """The probe on plain features that equals ``weight`` (C, D) and ``bias`` (C,) on changed ones."""
        folded = weight * self.transform if self.transform.ndim == 1 else weight @ self.transform.T  # (C, D)
        shift = bias.double() - folded.double() @ self.mean.double()
        return LinearProbe(folded.numpy(), shift.float().numpy(), description)


def fit_linear_probe(
    train_features: np.ndarray,
    train_targets: np.ndarray,
    validation_features: np.ndarray,
    validation_targets: np.ndarray,
    *,
    seed: int,
) -> LinearProbe:
    """The best linear probe on the validation rows, out of shrinkage LDA and penalised logistic regressions.

    Shapes: features (N, D); targets (N,) integer classes from 0 (softmax, chosen by accuracy), or (N, C) of 0 and 1
    (one sigmoid per column, chosen by mean average precision). Ties go to the lower validation loss. All is
    deterministic; ``seed`` draws the rows that stay when there are more than ``MAX_ROWS``.
    """
    multi_label = np.ndim(train_targets) == 2
    train = _to_tensors(train_features, train_targets, name="train")
    validation = _to_tensors(validation_features, validation_targets, name="validation")
    _check_agreement(train, validation)
    if len(train[0]) > MAX_ROWS:
        rows = np.random.default_rng(seed).choice(len(train[0]), MAX_ROWS, replace=False)
        train = (train[0][rows], train[1][rows])
    num_classes = train[1].shape[1] if multi_label else int(max(train[1].max(), validation[1].max())) + 1

    probes = _candidates(*train, num_classes=num_classes)
    (score, _), chosen = max(
        ((_rank(probe, *validation), probe) for probe in probes), key=lambda pair: pair[0]
    )
    metric = "mean average precision" if multi_label else "accuracy"
    return replace(chosen, description=f"{chosen.description}, validation {metric} {score:.3f}")


def _candidates(features: Tensor, targets: Tensor, *, num_classes: int) -> Iterator[LinearProbe]:
    """Every probe to choose from, fitted on training features (N, D)."""
    mean, spread = features.mean(0), features.std(0, correction=0)
    overall = spread.square().mean().sqrt().clamp(min=1e-12)
    # A column that hardly varies must not be blown up to the size of the others.
    standard = _Basis(
        "standardised features", mean, 1 / torch.where(spread > 1e-4 * overall, spread, overall)
    )
    plain = _Basis("plain features", mean, torch.ones_like(mean) / overall)

    single_label = targets.ndim == 1
    centres = _class_means(features, targets, num_classes) if single_label else mean[None]  # (C or 1, D)
    residuals = standard.apply(features - (centres[targets] if single_label else centres) + mean)
    variances, axes = _eigen(residuals.T @ residuals / len(features))  # (D,), (D, D)
    if single_label:
        for shrinkage in SHRINKAGES:
            yield _discriminant(_whitening(standard, variances, axes, shrinkage=shrinkage), centres, targets)
    for basis in (plain, standard, _whitening(standard, variances, axes, shrinkage=WHITENING_SHRINKAGE)):
        yield from _logistic_path(basis, features, targets, num_classes=num_classes)


def _eigen(symmetric: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues (D,) and eigenvectors (D, D) of a matrix; one that is made of few rows may need more digits."""
    try:
        values, vectors = torch.linalg.eigh(symmetric)
    except torch.linalg.LinAlgError:
        values, vectors = torch.linalg.eigh(symmetric.double())
    return values.to(symmetric), vectors.to(symmetric)


def _whitening(basis: _Basis, variances: Tensor, axes: Tensor, *, shrinkage: float) -> _Basis:
    """``basis``, then whitening: ``variances`` (D,) along ``axes`` (D, D) are shrunk towards their mean."""
    shrunk = (1 - shrinkage) * variances.clamp(min=0) + shrinkage * variances.mean()
    scales = shrunk.clamp(min=1e-6 * float(shrunk.max()) + 1e-12).rsqrt()
    name = f"features whitened with shrinkage {shrinkage:g}"
    return _Basis(name, basis.mean, basis.transform[:, None] * axes * scales)


def _discriminant(basis: _Basis, centres: Tensor, targets: Tensor) -> LinearProbe:
    """Linear discriminant analysis: with unit covariance within classes, logit = m·x - |m|²/2 + log prior."""
    means = basis.apply(centres)  # (C, D)
    # Half a row for a class that the training rows lack keeps its prior above zero.
    counts = torch.bincount(targets, minlength=len(centres)).clamp(min=0.5)
    bias = (counts / counts.sum()).log() - means.square().sum(1) / 2
    return basis.fold(means, bias, f"LDA on {basis.name}")


def _class_means(features: Tensor, targets: Tensor, num_classes: int) -> Tensor:
    """The mean feature of each class (C, D); the mean of all rows for a class without rows."""
    counts = torch.bincount(targets, minlength=num_classes)
    sums = torch.zeros(num_classes, features.shape[1]).index_add_(0, targets, features)
    means = sums / counts.clamp(min=1)[:, None]
    return torch.where((counts > 0)[:, None], means, features.mean(0))


def _logistic_path(
    basis: _Basis, features: Tensor, targets: Tensor, *, num_classes: int
) -> Iterator[LinearProbe]:
    """Logistic regressions from the strongest to the weakest L2 penalty, each started from the one before."""
    changed = basis.apply(features).contiguous()
    # (C, D) and F.linear: the backward pass of `changed @ weight` would be several times slower.
    weight = torch.zeros(num_classes, changed.shape[1], requires_grad=True)
    bias = torch.zeros(num_classes, requires_grad=True)
    for penalty in PENALTIES:
        optimizer = torch.optim.LBFGS(
            [weight, bias], max_iter=MAX_STEPS, history_size=10, line_search_fn="strong_wolfe"
        )

        def closure(optimizer: torch.optim.LBFGS = optimizer, penalty: float = penalty) -> Tensor:
            optimizer.zero_grad()
            loss = (
                _loss(nn.functional.linear(changed, weight, bias), targets)
                + penalty / 2 * weight.square().sum()
            )
            loss.backward()
            return loss

        optimizer.step(closure)
        yield basis.fold(
            weight.detach(), bias.detach(), f"logistic regression on {basis.name}, penalty {penalty:g}"
        )


def _loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy of logits (N, C) for classes (N,), or binary cross-entropy summed over columns for (N, C)."""
    if targets.ndim == 1:
        return nn.functional.cross_entropy(logits, targets)
    return nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none").sum(1).mean()


def _rank(probe: LinearProbe, features: Tensor, targets: Tensor) -> tuple[float, float]:
    """How good a probe is on validation rows, to compare: (metric, minus loss)."""
    logits = torch.from_numpy(probe.logits(features.numpy()))
    if targets.ndim == 1:
        metric = (logits.argmax(1) == targets).double().mean().item()
    else:
        metric = _mean_average_precision(targets.numpy(), logits.numpy())
    return metric, -_loss(logits, targets).item()


def _mean_average_precision(targets: np.ndarray, logits: np.ndarray) -> float:
    """The mean of the average precisions of the columns (N, C) that have a positive row."""
    known = np.flatnonzero(targets.sum(0) > 0)
    return (
        float(np.mean([average_precision_score(targets[:, c], logits[:, c]) for c in known]))
        if len(known)
        else 0.0
    )


def _to_tensors(features: np.ndarray, targets: np.ndarray, *, name: str) -> tuple[Tensor, Tensor]:
    """Features (N, D) as float32, targets as int64 (N,) or float32 (N, C)."""
    features, targets = np.asarray(features, dtype=np.float32), np.asarray(targets)
    if features.ndim != 2 or len(features) == 0:
        raise InputError(f"{name} features must be of shape (N, D) with N > 0, got {features.shape}.")
    if len(targets) != len(features) or targets.ndim not in (1, 2):
        raise InputError(
            f"{name} targets must be ({len(features)},) or ({len(features)}, C), got {targets.shape}."
        )
    if not np.isfinite(features).all():
        raise InputError(f"{name} features must be finite, got NaN or infinite values.")
    if targets.ndim == 2:
        return torch.from_numpy(features), torch.from_numpy(targets.astype(np.float32))
    if targets.dtype.kind not in "iub" or (len(targets) and targets.min() < 0):
        raise InputError(f"{name} targets must be integer classes from 0, got {targets.dtype} {targets[:3]}.")
    return torch.from_numpy(features), torch.from_numpy(targets.astype(np.int64))


def _check_agreement(train: tuple[Tensor, Tensor], validation: tuple[Tensor, Tensor]) -> None:
    """Refuse parts with other dimensions, and training rows of one class only."""
    for of_train, of_validation, name in zip(train, validation, ("features", "targets")):
        if of_train.shape[1:] != of_validation.shape[1:]:
            shapes = tuple(of_train.shape), tuple(of_validation.shape)
            raise InputError(f"validation {name} must be like train {name} {shapes[0]}, got {shapes[1]}.")
    if train[1].ndim == 1 and len(train[1].unique()) < 2:
        raise InputError(f"train targets must hold two classes or more, got only class {int(train[1][0])}.")
