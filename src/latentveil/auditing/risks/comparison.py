"""Ways to compare two videos in one space: cosines, plain or whitened, or learned from other people's videos."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from latentveil.attacks.preprocess import PrincipalAxes, principal_axes
from latentveil.auditing.risks.alignment import Aligned

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
    probe = aligned.probe[rows]
    yield "cosine", probe, probe if aligned.is_one else aligned.gallery[rows]
    stores = aligned.centred
    shown = [store[rows] for store in stores]
    yield "centred cosine", shown[0], shown[-1]
    changed = _whitened(aligned, shown)
    if learned:
        mean = aligned.probe.mean(axis=0)
        examples = [store[known] for store in stores] + [draw[known] - mean for draw in aligned.draws]
        people = np.tile(person[known], len(examples))
        changed = chain(changed, _within_people(np.concatenate(examples), people, shown))
    for name, found in changed:
        yield name, found[0], found[-1]


def cosines(probe: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Cosines (P, G); a zero row is at 0 from all. Rounded, since equal videos must stay equal."""
    return np.round(_unit(probe) @ _unit(gallery).T, 9)


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)


def _whitened(aligned: Aligned, shown: list[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
    """The ``shown`` videos (V, K) of each store after the directions of all centred videos are given equal spread."""
    if not any(store.any() for store in aligned.centred):
        return
    principal = aligned.principal
    mean_variance = principal.variance.sum() / aligned.probe.shape[1]
    turned = [rows @ principal.axes for rows in shown]
    for shrinkage in WHITENING_SHRINKAGES:
        scale = 1 / np.sqrt(principal.variance + shrinkage * mean_variance)
        yield f"whitened cosine {shrinkage:g}", [rows * scale for rows in turned]
    few = slice(WHITENED_DIMENSIONS)
    scale = 1 / np.sqrt(principal.variance[few])
    yield f"whitened cosine of {WHITENED_DIMENSIONS}", [rows[:, few] * scale for rows in turned]


def _within_people(
    examples: np.ndarray, person: np.ndarray, shown: list[np.ndarray]
) -> Iterator[tuple[str, list[np.ndarray]]]:
    """The ``shown`` videos after what varies within a person is shrunk ("within"), or only what varies between people.

    The latter ("between") is a linear discriminant whose directions count by how much of their variance is between
    people, as in probabilistic LDA. Shapes: ``examples`` (N, K) centred, ``person`` (N,), ``shown`` (V, K) each.
    """
    _, place, counts = np.unique(person, return_inverse=True, return_counts=True)
    repeated = counts[place] > 1
    if repeated.sum() == 0 or (counts > 1).sum() < 2:
        return
    _, place, counts = np.unique(person[repeated], return_inverse=True, return_counts=True)
    examples = examples[repeated]
    in_order = examples[np.argsort(place, kind="stable")]
    means = np.add.reduceat(in_order, np.cumsum(counts) - counts, axis=0) / counts[:, None]  # (P, K)
    rest = examples - means[place]
    if np.abs(rest).max() <= 1e-12 * np.abs(examples).max():
        return
    within = principal_axes(rest)
    mean_variance = within.variance.sum() / examples.shape[1]
    parts = [_parted(rows, within) for rows in (means - means.mean(axis=0), *shown)]
    for shrinkage in WITHIN_SHRINKAGES:
        variance = np.append(within.variance, np.zeros(parts[0].shape[1] - len(within.variance)))
        scale = 1 / np.sqrt((1 - shrinkage) * variance + shrinkage * mean_variance)
        scaled_means, *scaled = (rows * scale for rows in parts)
        yield f"within people {shrinkage:g}", scaled
        between = principal_axes(scaled_means)
        weights = between.axes * np.sqrt(between.variance / (1 + between.variance))
        yield f"between people {shrinkage:g}", [rows @ weights for rows in scaled]


def _parted(rows: np.ndarray, within: PrincipalAxes) -> np.ndarray:
    """Rows (N, K) along R axes, and what they are beside them: (N, R + K), or (N, R) where the axes are all there are.

    Lengths and angles stay as they are.
    """
    along = rows @ within.axes
    if len(within.variance) == rows.shape[1]:
        return along
    return np.concatenate([along, rows - along @ within.axes.T], axis=1)
