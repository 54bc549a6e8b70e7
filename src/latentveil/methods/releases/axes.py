"""Axes and factors that are the same on every machine.

An eigenvector and its negative are one axis, and of equal eigenvalues any turned axes will do: processors differ in
which they find. Whatever is drawn along axes would differ with them.
"""

from __future__ import annotations

import numpy as np

ALIKE = 1 - 1e-6  # of the largest entry: entries as large are told apart by rounding alone


def with_fixed_signs(axes: np.ndarray) -> np.ndarray:
    """The columns of ``axes`` (D, K), each turned so that the first of its largest entries is positive."""
    sizes = np.abs(axes)
    first = (sizes >= ALIKE * sizes.max(axis=0, keepdims=True)).argmax(axis=0)  # (K,)
    return axes * np.where(axes[first, np.arange(axes.shape[1])] < 0, -1.0, 1.0)


def symmetric_root(covariance: np.ndarray) -> np.ndarray:
    """The one factor (K, K) of noise with this ``covariance`` (K, K) that is symmetric and has no negative axis."""
    values, axes = np.linalg.eigh(covariance)
    return (axes * np.sqrt(np.maximum(values, 0))) @ axes.T
