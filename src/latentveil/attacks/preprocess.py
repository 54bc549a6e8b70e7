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


def fit_preprocessing(name: str, feature: np.ndarray, *, max_components: int = 256) -> Transform:
    """A change of features learned on ``feature`` (N, D).

    ``none`` centres and divides by one number, so that no attack depends on the feature's unit; ``standardise``
    divides each dimension by its spread; ``whiten`` turns to at most ``max_components`` principal axes and divides
    each by its spread; ``normalise`` first gives every row unit length, then is ``none``.
    """
    if name == "normalise":
        rest = fit_preprocessing("none", _unit_rows(feature))
        return lambda other: rest(_unit_rows(other))
    mean = feature.mean(axis=0, dtype=np.float64)
    if name == "none":
        overall = float(np.sqrt(np.square(feature - mean).mean()))
        scale = np.full(len(mean), 1 / overall if overall > 0 else 1.0)
    elif name == "standardise":
        spread = np.sqrt(np.square(feature - mean).mean(axis=0))
        scale = 1 / np.where(spread > 0, spread, 1.0)
    elif name == "whiten":
        principal = principal_axes(feature - mean)
        axes = (principal.axes / np.sqrt(principal.variance))[:, :max_components]  # (D, K)
        return lambda other: ((other - mean) @ axes).astype(np.float32)
    else:
        raise InputError(f"preprocessing must be one of {', '.join(PREPROCESSINGS)}, got {name!r}.")
    return lambda other: ((other - mean) * scale).astype(np.float32)


def _unit_rows(feature: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(feature, axis=1, keepdims=True)
    return feature / np.where(length > 0, length, 1.0)
