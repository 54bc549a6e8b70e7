"""The middle of all groups: what a video becomes is the mean of where each group shows the like of it.

What is left of a video then depends on its own group by one part in as many as there are groups, and what differs
between a person's way of doing a thing and everybody's is gone with it. A little noise does the rest: as much as the
middles of like videos of different groups differ, so that a video cannot be told from its like.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from latentveil.adapters.transport_grouping import barycentre
from latentveil.errors import InputError
from latentveil.methods.releases.axes import symmetric_root

MAX_GROUPS = 128  # with references; the middle of more is about the same
MAX_REFERENCES = 4_096
BLOCK_VECTORS = 128  # that are compared with all references at a time
MAX_COMPARED = 2_000  # vectors, of which the typical distances are found


@dataclass(frozen=True, eq=False)
class References:
    """Levelled vectors (G, n, K) of some groups, where ``is_reference`` (G, n), and the ``temperature`` of likeness.

    ``own`` is how much a vector counts as its own like, see `barycentre`.
    """

    vector: np.ndarray
    is_reference: np.ndarray
    temperature: float
    own: float = 1.0

    def middle(self, vectors: np.ndarray) -> np.ndarray:
        """The mean over groups of the like of levelled ``vectors`` (N, K)."""
        if not self.vector.size:
            return vectors
        known = torch.as_tensor(self.vector), torch.as_tensor(self.is_reference)
        # Written to its place at once: small results that stay between large scraps would keep these from being freed.
        found = np.empty_like(vectors)
        for rows in np.array_split(np.arange(len(vectors)), max(1, len(vectors) // BLOCK_VECTORS)):
            part = torch.as_tensor(vectors[rows])
            found[rows] = barycentre(part, *known, temperature=self.temperature, own=self.own).numpy()
        return found


def find_references(
    vectors: np.ndarray, group: np.ndarray, *, temperature: float, random: np.random.Generator
) -> References:
    """References of levelled ``vectors`` (N, K) of the groups ``group`` (N,).

    ``temperature`` is in parts of the typical squared distance of a vector to the nearest of another group; at 0 there
    are no references, and everything stays where it is.
    """
    size = vectors.shape[1]
    if not temperature:
        return References(np.zeros((0, 0, size)), np.zeros((0, 0), dtype=bool), 1.0)
    numbers = random.permutation(np.unique(group))[:MAX_GROUPS]
    chosen = [random.permutation(np.flatnonzero(group == number)) for number in numbers]
    most = min(max(len(rows) for rows in chosen), MAX_REFERENCES // len(chosen))
    vector, is_reference = np.zeros((len(chosen), most, size)), np.zeros((len(chosen), most), dtype=bool)
    for place, rows in enumerate(chosen):
        vector[place, : len(rows[:most])] = vectors[rows[:most]]
        is_reference[place, : len(rows[:most])] = True
    distance, _ = _nearest_of_others(vectors, group, random=random)
    typical = float(np.median(distance))
    return References(vector, is_reference, temperature * (typical or 1.0))


def likeness_noise(middle: np.ndarray, group: np.ndarray, *, random: np.random.Generator) -> np.ndarray:
    """The factor (K, K) of noise with the covariance of half the difference between a vector and its like.

    Its like is the nearest ``middle`` (N, K) of another ``group`` (N,).
    """
    _, difference = _nearest_of_others(middle, group, random=random)
    return symmetric_root(difference.T @ difference / (2 * len(difference)))


def _nearest_of_others(
    vectors: np.ndarray, group: np.ndarray, *, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The squared distance (M,) of some of the vectors to the nearest of another group, and the difference (M, K)."""
    rows = random.permutation(len(vectors))[:MAX_COMPARED]
    if (group[rows] == group[rows[0]]).all():  # one group is nearly all of the release
        others = random.permutation(np.flatnonzero(group != group[rows[0]]))
        if not len(others):
            raise InputError(
                "groups must be two or more among videos with clips, got one. Name a column that tells these apart."
            )
        rows = np.concatenate([rows[: MAX_COMPARED // 2], others[: MAX_COMPARED // 2]])
    vectors, group = vectors[rows], group[rows]
    squares = (vectors**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * vectors @ vectors.T
    distance[group[:, None] == group] = np.inf
    nearest = distance.argmin(axis=1)
    return np.maximum(distance.min(axis=1), 0), vectors - vectors[nearest]
