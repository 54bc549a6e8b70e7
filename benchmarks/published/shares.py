"""The share of the raw leakage that is gone, with an interval over people and its range over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.published.grade import Answers
from latentveil.metrics.classification import average_precision, prevalence
from latentveil.metrics.intervals import half_samples, interval_from_halves
from latentveil.types import Interval

NUM_HALVES = 300


@dataclass(frozen=True, eq=False)
class Reading:
    """What a grader reads in one cell and what guessing would, of everybody and then of halves of the people.

    Shapes: ``precision`` and ``chance`` (1 + H,), means over attributes. Halves are the same in every cell, so that two
    cells can be compared half by half; nothing in here is of a single person.
    """

    precision: np.ndarray
    chance: np.ndarray
    num_people: int

    @classmethod
    def of(cls, answers: Answers) -> Reading:
        names, number = np.unique(answers.person, return_inverse=True)
        blocks = half_samples(np.arange(len(names)), seed=0, num_resamples=NUM_HALVES)
        weights = np.concatenate([np.ones((1, len(names))), *blocks])[:, number]  # (1 + H, N)
        columns = list(zip(answers.target.T, answers.score.T))
        precision = np.stack([average_precision(target, score, weights) for target, score in columns])
        chance = np.stack([prevalence(target, weights) for target, _ in columns])
        return cls(precision.mean(axis=0), chance.mean(axis=0), len(names))


@dataclass(frozen=True)
class Share:
    """How much is gone: the mean over seeds with its interval over people, and the share of each seed."""

    interval: Interval
    by_seed: tuple[float, ...]


def share_gone(raw: Sequence[Reading], shown: Sequence[Reading]) -> Share:
    """The share of what ``raw`` reads above guessing that ``shown``, one reading per seed, does not."""
    chance = raw[0].chance
    before = np.mean([reading.precision for reading in raw], axis=0) - chance

    def gone(readings: Sequence[Reading]) -> np.ndarray:
        after = np.mean([reading.precision for reading in readings], axis=0) - chance
        return np.where(before > 0, 1 - after / np.where(before > 0, before, 1.0), np.nan)

    everybody, *halves = gone(shown).tolist()
    interval = interval_from_halves(everybody, np.array(halves), num_groups=raw[0].num_people)
    return Share(interval, tuple(float(gone([reading])[0]) for reading in shown))
