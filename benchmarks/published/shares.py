"""The share of the raw leakage that is gone, with an interval over people and its range over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.published.cells import Cell
from latentveil.metrics.classification import average_precision, prevalence
from latentveil.metrics.intervals import bootstrap
from latentveil.types import Interval

NUM_RESAMPLES = 300


@dataclass(frozen=True, eq=False)
class Reading:
    """One grader's answers in one cell: ``score`` and ``target`` (N, C), ``person`` (N,)."""

    score: np.ndarray
    target: np.ndarray
    person: np.ndarray

    @classmethod
    def load(cls, folder: Path, cell: Cell, people: str, grader: str) -> Reading:
        with np.load(folder / f"{cell.key}.npz") as kept:
            columns = [kept[f"{people}|{grader}|{name}"] for name in ("score", "target", "person")]
        order = np.lexsort(
            (np.arange(len(columns[2])), columns[2])
        )  # by person: graders shuffle, each seed anew
        return cls(*(column[order] for column in columns))

    def precision(self, people_weights: np.ndarray) -> np.ndarray:
        """The mean over attributes of the average precision, weights (R, P) of the sorted people -> (R,)."""
        weights = people_weights[:, self._places()]
        return np.mean(
            [np.asarray(average_precision(t, s, weights)) for t, s in zip(self.target.T, self.score.T)],
            axis=0,
        )

    def chance(self, people_weights: np.ndarray) -> np.ndarray:
        """What guessing reaches, in the same form."""
        weights = people_weights[:, self._places()]
        return np.mean([np.asarray(prevalence(target, weights)) for target in self.target.T], axis=0)

    def _places(self) -> np.ndarray:
        return np.unique(self.person, return_inverse=True)[1]


@dataclass(frozen=True)
class Share:
    """How much is gone: the mean over seeds with its interval over people, and the share of each seed."""

    interval: Interval
    by_seed: tuple[float, ...]


def share_gone(raw: Sequence[Reading], shown: Sequence[Reading]) -> Share:
    """The share of what ``raw`` reads above guessing that ``shown``, one reading per seed, does not."""
    num_people = len(np.unique(raw[0].person))

    def gone(readings: Sequence[Reading], weights: np.ndarray) -> np.ndarray:
        chance = raw[0].chance(weights)
        before = np.mean([reading.precision(weights) for reading in raw], axis=0) - chance
        after = np.mean([reading.precision(weights) for reading in readings], axis=0) - chance
        return np.where(before > 0, 1 - after / np.where(before > 0, before, 1.0), np.nan)

    interval = bootstrap(
        lambda weights: gone(shown, weights), np.arange(num_people), seed=0, num_resamples=NUM_RESAMPLES
    )
    everybody = np.ones((1, num_people))
    return Share(interval, tuple(float(gone([reading], everybody)[0]) for reading in shown))
