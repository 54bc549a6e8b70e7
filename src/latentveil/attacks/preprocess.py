"""The changes of features that every attack may choose from: one of them alone can blind a probe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError

# Features (N, D) -> features (N, D') float32.
Transform = Callable[[np.ndarray], np.ndarray]

PREPROCESSINGS = ("none", "standardise", "whiten", "normalise")
# Directions with less than this share of the largest variance are rounding errors of float32 features.
RELATIVE_VARIANCE_FLOOR = 1e-12
MAX_COMPONENTS = 256
BLOCK_ROWS = 2048


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Directions of falling variance: ``variance`` (K,) and orthonormal columns ``axes`` (D, K), K <= min(N, D)."""

    variance: np.ndarray
    axes: np.ndarray


def principal_axes(centred: np.ndarray) -> PrincipalAxes:
    """All directions in which the centred rows (N, D) vary, through the smaller of the two Gram matrices."""
    rows = centred.astype(np.float64)
    num_rows, dim = rows.shape
    gram = rows @ rows.T if num_rows < dim else rows.T @ rows
    eigenvalues, vectors = np.linalg.eigh(gram / num_rows)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    keep = eigenvalues > max(RELATIVE_VARIANCE_FLOOR * eigenvalues[0], 0.0)
    variance, vectors = eigenvalues[keep], vectors[:, keep]
    axes = rows.T @ vectors / np.sqrt(variance * num_rows) if num_rows < dim else vectors  # (D, K)
    return PrincipalAxes(variance, axes)


def fit_preprocessing(name: str, feature: np.ndarray, *, max_components: int = MAX_COMPONENTS) -> Transform:
    """A change of features learned on ``feature`` (N, D).

    ``none`` centres and divides by one number, so that no attack depends on the feature's unit; ``standardise``
    divides each dimension by its spread; ``whiten`` turns to at most ``max_components`` principal axes and divides
    each by its spread; ``normalise`` first gives every row unit length, then is ``none``.
    """
    if name == "normalise":
        rest = fit_preprocessing("none", _unit_rows(feature))
        return lambda other: rest(_unit_rows(other))
    mean = feature.mean(axis=0, dtype=np.float64)
    if name == "whiten":
        return whitening(mean, principal_axes(feature - mean), max_components=max_components)
    variance = _column_variance(feature, mean)
    if name == "none":
        overall = float(np.sqrt(variance.mean()))
        scale = np.full(len(mean), 1 / overall if overall > 0 else 1.0)
    elif name == "standardise":
        spread = np.sqrt(variance)
        scale = 1 / np.where(spread > 0, spread, 1.0)
    else:
        raise InputError(f"preprocessing must be one of {', '.join(PREPROCESSINGS)}, got {name!r}.")
    return _in_blocks(lambda rows: (rows - mean) * scale, len(mean))


def whitening(mean: np.ndarray, principal: PrincipalAxes, *, max_components: int) -> Transform:
    """The change to the first principal axes, each divided by its spread."""
    axes = (principal.axes / np.sqrt(principal.variance))[:, :max_components]  # (D, K)
    return _in_blocks(lambda rows: (rows - mean) @ axes, axes.shape[1])


def _in_blocks(change: Transform, dim: int) -> Transform:
    """The change of rows (N, D) to float32 (N, dim), some rows at a time: in between they are float64."""

    def changed(feature: np.ndarray) -> np.ndarray:
        found = np.empty((len(feature), dim), dtype=np.float32)
        for start in range(0, len(feature), BLOCK_ROWS):
            found[start : start + BLOCK_ROWS] = change(feature[start : start + BLOCK_ROWS])
        return found

    return changed


def _column_variance(feature: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The mean squared distance (D,) of rows (N, D) from their mean."""
    total = np.zeros(len(mean))
    for start in range(0, len(feature), BLOCK_ROWS):
        total += np.square(feature[start : start + BLOCK_ROWS] - mean).sum(axis=0)
    return total / len(feature)


def _unit_rows(feature: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(feature, axis=1, keepdims=True)
    return feature / np.where(length > 0, length, 1.0)
