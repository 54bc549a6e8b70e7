"""The model on paper: slopes of what was measured, and what larger data would take by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FRAMES_PER_SECOND = 25.0  # of the videos in the model
SECONDS_PER_HOUR = 3600.0
LIMIT_MEGABYTES = 4000.0  # what a stage may take


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
class WorkersFound:
    """Two workers against one, by slopes per clip.

    ``ratio`` is of the clock on the wall, ``possible`` what two free cores could give: two, by how much more core time
    a clip takes with two workers and a parent (``dearer``), whose core time is ``parent_share`` of the workers'.
    """

    ratio: float
    dearer: float
    parent_share: float
    start_seconds: dict[str, float]
    loads: tuple[float, float]

    @property
    def possible(self) -> float:
        return 2.0 / self.dearer


def workers_found(runs: dict[str, list[dict[str, float]]]) -> WorkersFound:
    """From a measurement of ``workers``: {workers: [few videos, many videos]}."""
    slopes = {workers: _per_clip(pair) for workers, pair in runs.items()}
    cores = {
        workers: slope["parent_core_seconds"] + slope["worker_core_seconds"]
        for workers, slope in slopes.items()
    }
    two = slopes["2"]
    loads = [run["load"] for pair in runs.values() for run in pair]
    return WorkersFound(
        ratio=slopes["1"]["seconds"] / two["seconds"],
        dearer=cores["2"] / cores["1"],
        parent_share=two["parent_core_seconds"] / max(two["worker_core_seconds"], 1e-9),
        start_seconds={
            workers: pair[0]["seconds"] - slopes[workers]["seconds"] * pair[0]["clips"]
            for workers, pair in runs.items()
        },
        loads=(min(loads), max(loads)),
    )


def _per_clip(pair: list[dict[str, float]]) -> dict[str, float]:
    few, many = pair
    clips = many["clips"] - few["clips"]
    timed = ("seconds", "parent_core_seconds", "worker_core_seconds")
    return {key: (many[key] - few[key]) / clips for key in timed}
