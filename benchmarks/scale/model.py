"""The model on paper: slopes of what was measured, and what larger data would take by them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

FRAMES_PER_SECOND = 25.0  # of the videos in the model
SECONDS_PER_HOUR = 3600.0
LIMIT_MEGABYTES = 4000.0  # what a stage may take
WORKER_PARTS = ("decode", "encode", "parent")  # of the core time of an extraction


@dataclass(frozen=True)
class Growth:
    """How a stage grows between the two largest stores: core-seconds and bytes of memory per clip."""

    core_seconds_per_clip: float
    bytes_per_clip: float
    largest_clips: int
    largest_megabytes: float

    def clips_in(self, megabytes: float) -> float | None:
        """How many clips fit by the slope; None where memory does not grow."""
        if self.bytes_per_clip <= 0:
            return None
        return self.largest_clips + (megabytes - self.largest_megabytes) * 1e6 / self.bytes_per_clip


def growth(runs: dict[str, dict[str, Any]], stores: dict[str, dict[str, Any]]) -> Growth | None:
    """Of one stage, {size: what it took}; None unless two sizes are known."""
    known = sorted((stores[size]["clips"], run) for size, run in runs.items() if "error" not in run)
    if len(known) < 2:
        return None
    (few, before), (many, after) = known[-2:]
    clips = many - few
    return Growth(
        (after["core_seconds"] - before["core_seconds"]) / clips,
        (after["megabytes"] - before["megabytes"]) * 1e6 / clips,
        many,
        after["megabytes"],
    )


def stored_share(stores: dict[str, dict[str, Any]]) -> float:
    """The bytes of the largest store over those of its numbers in memory (4 bytes each)."""
    largest = max(stores.values(), key=lambda store: store["clips"])
    return float(largest["bytes"] / (4 * largest["dim"] * largest["clips"]))


@dataclass(frozen=True)
class EncoderCost:
    """What a second of video takes with an encoder, in core-seconds by part, and the clips and bytes it gives."""

    core_seconds: dict[str, float]
    clips_per_hour: float
    bytes_per_clip: float

    @property
    def core_hours_per_hour(self) -> float:
        return sum(self.core_seconds.values())

    @property
    def bytes_per_hour(self) -> float:
        return self.clips_per_hour * self.bytes_per_clip


def encoder_cost(found: dict[str, Any], *, share: float) -> EncoderCost:
    """From a measurement of ``encoders``; stores take ``share`` of the bytes of their numbers."""
    seconds = found["video_seconds"]
    return EncoderCost(
        {part: value / seconds for part, value in found["core_seconds"].items()},
        FRAMES_PER_SECOND * SECONDS_PER_HOUR / found["clip_frames"],
        4 * found["dim"] * share,
    )


@dataclass(frozen=True)
class Several:
    """The median of some measurements, the least and the most."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Several:
        found = list(values)
        return cls(median(found), min(found), max(found))


@dataclass(frozen=True)
class WorkersCost:
    """What some workers do in the middle of a run: medians over runs, ``core_seconds`` of a clip by part."""

    clips_per_second: float
    cores: float
    core_seconds: dict[str, float]
    start_seconds: float
    others: Several


@dataclass(frozen=True)
class WorkersFound:
    """Two workers against one, over pairs of runs.

    In each pair, the ``ratio`` of clips per second is ``more_cores`` (cores in use, two to one) times ``cheaper`` (core
    time of a clip, one to two).
    """

    ratio: Several
    more_cores: Several
    cheaper: Several
    costs: dict[str, WorkersCost]
    pairs: int

    def possible(self, cores: int) -> float:
        """The ratio on ``cores`` that nobody else uses, by core time alone.

        A worker decodes one clip while it encodes another, so the longer of the two counts; two workers also share the
        cores with each other and with their parent.
        """
        one, two = (self.costs[workers].core_seconds for workers in ("1", "2"))
        of_two = max(two["decode"] / 2, two["encode"] / 2, two["parent"], sum(two.values()) / cores)
        return max(one["decode"], one["encode"]) / of_two


def workers_found(runs: dict[str, list[dict[str, float]]]) -> WorkersFound:
    """From a measurement of ``workers``: {workers: runs}, of which those at the same place are a pair."""
    pairs = list(zip(runs["1"], runs["2"]))
    return WorkersFound(
        ratio=Several.of(_clips_per_second(two) / _clips_per_second(one) for one, two in pairs),
        more_cores=Several.of(_cores(two) / _cores(one) for one, two in pairs),
        cheaper=Several.of(
            _core_seconds(one) / one["clips"] / (_core_seconds(two) / two["clips"]) for one, two in pairs
        ),
        costs={workers: _workers_cost(found) for workers, found in runs.items()},
        pairs=len(pairs),
    )


def _workers_cost(runs: list[dict[str, float]]) -> WorkersCost:
    return WorkersCost(
        clips_per_second=median(map(_clips_per_second, runs)),
        cores=median(map(_cores, runs)),
        core_seconds={part: median(run[part] / run["clips"] for run in runs) for part in WORKER_PARTS},
        start_seconds=median(run["start_seconds"] for run in runs),
        others=Several.of(run["others"] for run in runs),
    )


def _clips_per_second(run: dict[str, float]) -> float:
    return run["clips"] / run["seconds"]


def _core_seconds(run: dict[str, float]) -> float:
    return sum(run[part] for part in WORKER_PARTS)


def _cores(run: dict[str, float]) -> float:
    return _core_seconds(run) / run["seconds"]
