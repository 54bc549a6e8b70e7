"""Ways to compare two videos in one space: cosines, plain or whitened, or learned from other people's videos."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latentveil.attacks.preprocess import principal_axes
from latentveil.auditing.risks.alignment import Aligned, Change

# Shares of the mean variance mixed into the covariance of all videos, and into that within people.
WHITENING_SHRINKAGES = (1e-3, 0.1)
WHITENED_DIMENSIONS = 64
WITHIN_SHRINKAGES = (1e-4, 1e-2, 0.1, 0.5)


def comparisons(
    aligned: Aligned, known: np.ndarray, person: np.ndarray, *, rows: np.ndarray, learned: bool
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield (name, probe, gallery) for each comparison: the videos of the mask ``rows`` (V,), to be compared by cosine.

    ``known`` (V,) are the videos whose ``person`` (V,) a learned comparison may use. The others learn from all videos,
    but from nobody's label. Each store is centred by its own mean. A learned comparison also learns from further draws
    of the known videos, where the attacker made some: they tell noise from what a person's videos share.
    """
    plain = [aligned.probe] if aligned.is_one else [aligned.probe, aligned.gallery]
    yield "cosine", plain[0][rows], plain[-1][rows]
    stores = aligned.centred
    changes = [("centred cosine", _unchanged), *_whitenings(aligned)]
    if learned:
        mean = aligned.probe.mean(axis=0)
        examples = [store[known] for store in stores] + [draw[known] - mean for draw in aligned.draws]
        changes += _within_people(np.concatenate(examples), np.tile(person[known], len(examples)))
    for name, change in changes:
        changed = [change(store[rows]) for store in stores]
        yield name, changed[0], changed[-1]


def cosines(probe: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Cosines (P, G); a zero row is at 0 from all. Rounded, since equal videos must stay equal."""
    return np.round(_unit(probe) @ _unit(gallery).T, 9)


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)


def _whitenings(aligned: Aligned) -> Iterator[tuple[str, Change]]:
    """Cosines after the directions of all centred videos are given equal spread."""
    if not any(store.any() for store in aligned.centred):
        return
    principal = aligned.principal
    mean_variance = principal.variance.sum() / aligned.probe.shape[1]
    for shrinkage in WHITENING_SHRINKAGES:
        yield (
            f"whitened cosine {shrinkage:g}",
            _times(principal.axes / np.sqrt(principal.variance + shrinkage * mean_variance)),
        )
    some = (principal.axes / np.sqrt(principal.variance))[:, :WHITENED_DIMENSIONS]
    yield f"whitened cosine of {WHITENED_DIMENSIONS}", _times(some)


def _within_people(rows: np.ndarray, person: np.ndarray) -> Iterator[tuple[str, Change]]:
    """Cosines after what varies within a person is shrunk ("within"), and only what varies between people is kept.

    The latter ("between") is a linear discriminant whose directions count by how much of their variance is between
    people, as in probabilistic LDA. Shapes: ``rows`` (N, K) centred, ``person`` (N,).
    """
    names, place, counts = np.unique(person, return_inverse=True, return_counts=True)
    repeated = counts[place] > 1
    if repeated.sum() == 0 or (counts > 1).sum() < 2:
        return
    names, place, counts = np.unique(person[repeated], return_inverse=True, return_counts=True)
    rows = rows[repeated]
    in_order = rows[np.argsort(place, kind="stable")]
    means = np.add.reduceat(in_order, np.cumsum(counts) - counts, axis=0) / counts[:, None]  # (P, K)
    rest = rows - means[place]
    if np.abs(rest).max() <= 1e-12 * np.abs(rows).max():
        return
    within = principal_axes(rest)
    mean_variance = within.variance.sum() / rows.shape[1]
    identity = np.eye(rows.shape[1])
    for shrinkage in WITHIN_SHRINKAGES:
        across = 1 / np.sqrt(shrinkage * mean_variance)
        along = 1 / np.sqrt((1 - shrinkage) * within.variance + shrinkage * mean_variance)
        root = (within.axes * (along - across)) @ within.axes.T + across * identity  # (K, K)
        yield f"within people {shrinkage:g}", _times(root)
        _, strength, directions = np.linalg.svd((means - means.mean(axis=0)) @ root, full_matrices=False)
        between = np.square(strength) / len(names)
        keep = between > 1e-9 * max(between.max(initial=0.0), 1e-30)
        scale = np.sqrt(between[keep] / (1 + between[keep]))
        yield f"between people {shrinkage:g}", _times(root @ directions[keep].T * scale)


def _unchanged(rows: np.ndarray) -> np.ndarray:
    return rows


def _times(matrix: np.ndarray) -> Change:
    return lambda rows: rows @ matrix
