"""The nearest-neighbours attack: the answers of the closest known clips, closer ones counting more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.blocks import rows_in_block
from latentveil.attacks.preprocess import PREPROCESSINGS, Transform
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
        """Yield (k, logits) for each number of neighbours, over rows that are changed and searched once."""
        transform = data.preprocessing(preprocessing, max_components=self.whitened_dimensions)
        search = _Search(transform, transform(data.feature), max(counts))
        for count in counts:
            yield (
                count,
                partial(_vote, search=search, target=data.target, num_classes=num_classes, count=count),
            )


attack = Neighbours()


class _Search:
    """The ``count`` nearest of the known rows (N, D); what was asked last is remembered, since each k asks the same."""

    def __init__(self, transform: Transform, known: np.ndarray, count: int) -> None:
        self.transform = transform
        self.known = known
        self.count = min(count, len(known))
        self._asked: np.ndarray | None = None
        self._found = (np.empty((0, 0), dtype=int), np.empty((0, 0)))

    def nearest(self, feature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers (M, k) of the nearest rows, the nearest first, and their distances (M, k)."""
        if self._asked is not feature:
            changed = self.transform(feature)
            size = rows_in_block(len(self.known))
            parts = [
                self._nearest(changed[start : start + size]) for start in range(0, max(1, len(changed)), size)
            ]
            self._asked = feature
            self._found = (
                np.concatenate([part[0] for part in parts]),
                np.concatenate([part[1] for part in parts]),
            )
        return self._found

    def _nearest(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        squared = squared_distances(rows, self.known)  # (M, N)
        found = np.argpartition(squared, self.count - 1, axis=1)[:, : self.count]
        distance = np.take_along_axis(squared, found, axis=1)
        order = np.argsort(distance, axis=1, kind="stable")
        found, distance = (np.take_along_axis(values, order, axis=1) for values in (found, distance))
        return found, np.sqrt(distance)


def _vote(
    feature: np.ndarray, *, search: _Search, target: np.ndarray, num_classes: int, count: int
) -> np.ndarray:
    """Log votes (M, C) of the nearest known rows, and one vote more spread over the classes as they are frequent."""
    nearest, distance = (values[:, :count] for values in search.nearest(feature))  # (M, k)
    weight = 1 / (distance / (distance.mean(axis=1, keepdims=True) + 1e-12) + 1e-3)
    place = np.arange(len(feature))[:, None] * num_classes + target[nearest]  # (M, k)
    votes = np.bincount(place.ravel(), weight.ravel(), minlength=len(feature) * num_classes)
    frequency = np.bincount(target, minlength=num_classes) / len(target)
    return np.log(votes.reshape(-1, num_classes) + frequency + 1e-6)


def squared_distances(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances (M, N) between rows (M, D) and others (N, D), never below zero."""
    squared = rows @ others.T  # in place from here: there may be millions of pairs
    squared *= -2
    squared += np.square(rows).sum(axis=1)[:, None]
    squared += np.square(others).sum(axis=1)[None]
    return np.maximum(squared, 0.0, out=squared)
