"""Scores: one number that a protocol measured of one row under one seed, and what several seeds make of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy import stats

from latentveil.bench.readings import Entry
from latentveil.metrics.intervals import Halves
from latentveil.types import Interval

UPPER_POINT = 0.975  # of Student's t, for two-sided intervals of 95 %
Better = Literal["low", "high"]
UNMEASURED = "unmeasured"  # where an entry keeps why the data do not allow a column


@dataclass(frozen=True)
class Score:
    """A measured value; ``low`` and ``high`` are its 95 % interval over people under this seed, where known.

    ``better`` says which direction is wanted, ``by`` who measured it (an attack, a grader), ``people``, ``videos`` and
    ``recordings`` how many stand behind it. ``halves`` are the values on random halves of the ``groups`` (people, or
    videos), for the interval of a difference between two rows.
    """

    value: float
    better: Better
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    by: str = ""
    people: int | None = None
    videos: int | None = None
    halves: tuple[float | None, ...] = ()
    groups: int | None = None
    recordings: int | None = None

    @classmethod
    def of(
        cls,
        interval: Interval,
        better: Better,
        *,
        chance: float | None = None,
        by: str = "",
        people: int | None = None,
        videos: int | None = None,
        recordings: int | None = None,
        halves: Halves | None = None,
    ) -> Score:
        """A value with its interval; an end that is not known is None."""
        low, high = (end if math.isfinite(end) else None for end in (interval.low, interval.high))
        score = cls(interval.value, better, low, high, chance, by, people, videos, recordings=recordings)
        return score if halves is None else score.with_halves(halves)

    def with_halves(self, halves: Halves) -> Score:
        """The same with what was found on halves of the people."""
        return replace(self, halves=halves.values, groups=halves.groups)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Entries:
    """The scores of a run by row name, column and seed: ``found`` {(row, column): {seed: score}}.

    ``trainings`` are what the bench says of the training of a row under a seed, where there was one.
    ``unmeasured`` says of columns that the data do not allow why there is no number.
    """

    found: Mapping[tuple[str, str], Mapping[int, Score]]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    seeds: tuple[int, ...]
    trainings: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
    unmeasured: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def gather(cls, entries: Sequence[Entry], scores: Sequence[Mapping[str, Score]]) -> Entries:
        """From the entries of a results file and the scores of each of them."""
        found: dict[tuple[str, str], dict[int, Score]] = {}
        for entry, columns in zip(entries, scores):
            for column, score in columns.items():
                found.setdefault((entry["name"], column), {})[entry["seed"]] = score
        return cls(
            found,
            rows=tuple(dict.fromkeys(entry["name"] for entry in entries)),
            columns=tuple(dict.fromkeys(column for columns in scores for column in columns)),
            seeds=tuple(sorted({entry["seed"] for entry in entries})),
            trainings={
                (entry["name"], entry["seed"]): entry["training"] for entry in entries if "training" in entry
            },
            unmeasured={
                column: why for entry in entries for column, why in entry.get(UNMEASURED, {}).items()
            },
        )

    def restless(self, row: str) -> frozenset[int]:
        """The seeds under which the training of a row had not come to rest, by its own losses."""
        return frozenset(
            seed
            for (name, seed), training in self.trainings.items()
            if name == row and not training["converged"]
        )

    def scores(self, row: str, column: str) -> Mapping[int, Score]:
        """What the seeds found; none where it was not measured."""
        return self.found.get((row, column), {})

    def values(self, row: str, column: str) -> list[float]:
        """The values of all seeds."""
        return [score.value for score in self.scores(row, column).values()]


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean over seeds of values, ends and guessing, and the smallest number of people, videos and recordings."""

    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if len(known) == len(values) else None

    def least(values: Sequence[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return min(known) if known else None

    return Score(
        value=float(np.mean([score.value for score in scores])),
        better=scores[0].better,
        low=mean([score.low for score in scores]),
        high=mean([score.high for score in scores]),
        chance=mean([score.chance for score in scores]),
        by=", ".join(dict.fromkeys(score.by for score in scores if score.by)),
        people=least([score.people for score in scores]),
        videos=least([score.videos for score in scores]),
        recordings=least([score.recordings for score in scores]),
    )


def mean_and_half_width(values: Sequence[float]) -> str:
    """The mean over seeds with half of its 95 % interval (Student's t); the mean alone for one seed."""
    text = f"{np.mean(values):.3f}"
    return text if len(values) < 2 else f"{text} ± {half_width(values):.3f}"


def half_width(values: Sequence[float]) -> float:
    """Half of the 95 % interval of the mean (Student's t); 0 for a single value, which says nothing of its spread."""
    if len(values) < 2:
        return 0.0
    quantile = stats.t.ppf(UPPER_POINT, df=len(values) - 1)
    return float(quantile * np.std(values, ddof=1) / np.sqrt(len(values)))


def mean_in_words(seeds: Sequence[int]) -> str:
    """What the numbers of a page are that were measured under these seeds."""
    if len(seeds) == 1:
        return f"Every number is of seed {seeds[0]} alone, so that nothing is known of how it differs between seeds."
    named = ", ".join(map(str, seeds))
    return (
        f"Every number is the mean over seeds {named}, ± half of its 95 % interval over seeds (Student's t)."
    )
