"""The nearest-neighbours attack: the answers of the closest known clips, closer ones counting more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.blocks import in_blocks
from latentveil.attacks.preprocess import PREPROCESSINGS, Transform, fit_preprocessing
from latentveil.attacks.selection import Logits, Setting, fit_best


@dataclass(frozen=True, kw_only=True)
class Neighbours(Attack):
    """k-nearest neighbours in Euclidean distance, k and the preprocessing chosen on validation."""

    about = "The answers of the nearest known clips, closer ones counting more."

    name: str = "neighbours"
    preprocessings: tuple[str, ...] = PREPROCESSINGS
    num_neighbours: tuple[int, ...] = (1, 3, 5, 10, 25)
    # Distances between whitened rows mean little in many dimensions.
    whitened_dimensions: int = 64

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        num_classes = knowledge.num_classes

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            for preprocessing in self.preprocessings:
                path = self._path(knowledge.train, preprocessing, self.num_neighbours, num_classes)
                for count, logits in path:
                    yield {"preprocessing": preprocessing, "num_neighbours": count}, logits

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            counts = (setting["num_neighbours"],)
            return next(self._path(data, setting["preprocessing"], counts, num_classes))[1]

        return fit_best(candidates(), knowledge, refit=refit)

    def _path(
        self, data: LabelledFeatures, preprocessing: str, counts: tuple[int, ...], num_classes: int
    ) -> Iterator[tuple[int, Logits]]:
        """Yield (k, logits) for each number of neighbours, over rows that are changed once."""
        transform = fit_preprocessing(preprocessing, data.feature, max_components=self.whitened_dimensions)
        known = transform(data.feature)
        is_class = np.eye(num_classes)[data.target]  # (N, C)
        for count in counts:
            vote = partial(_vote, transform=transform, known=known, is_class=is_class, count=count)
            yield count, in_blocks(vote, num_known=len(known))


attack = Neighbours()


def _vote(
    feature: np.ndarray, *, transform: Transform, known: np.ndarray, is_class: np.ndarray, count: int
) -> np.ndarray:
    """Log votes (M, C) of the nearest known rows, and one vote more spread over the classes as they are frequent."""
    squared = squared_distances(transform(feature), known)  # (M, N)
    count = min(count, len(known))
    nearest = np.argpartition(squared, count - 1, axis=1)[:, :count]  # (M, k)
    distance = np.sqrt(np.take_along_axis(squared, nearest, axis=1))
    weight = 1 / (distance / (distance.mean(axis=1, keepdims=True) + 1e-12) + 1e-3)  # (M, k)
    votes = np.einsum("mk,mkc->mc", weight, is_class[nearest])
    return np.log(votes + is_class.mean(axis=0) + 1e-6)


def squared_distances(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances (M, N) between rows (M, D) and others (N, D), never below zero."""
    squared = rows @ others.T  # in place from here: there may be millions of pairs
    squared *= -2
    squared += np.square(rows).sum(axis=1)[:, None]
    squared += np.square(others).sum(axis=1)[None]
    return np.maximum(squared, 0.0, out=squared)
