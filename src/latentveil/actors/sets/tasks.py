"""The data sets by task name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from latentveil.actors.description import Video
from latentveil.actors.people import SPLIT_SHARES
from latentveil.actors.sets.action import action_videos
from latentveil.actors.sets.anomaly import anomaly_videos
from latentveil.actors.sets.bias import bias_videos
from latentveil.actors.sets.detection import detection_videos
from latentveil.actors.sets.gait import gait_videos
from latentveil.actors.sets.images import image_videos
from latentveil.errors import UsageError
from latentveil.names import did_you_mean

TASKS: dict[str, Callable[..., list[Video]]] = {
    "action": action_videos,
    "detection": detection_videos,
    "anomaly": anomaly_videos,
    "gait": gait_videos,
    "bias": bias_videos,
    "images": image_videos,
}


# People here are in both splits: their other walks are what they are found among.
WITHOUT_STRANGERS = ("gait",)
# Added to the seed of the draw that more test videos come from: far from any seed that somebody would choose.
OTHER_DRAW = 1_000_000_007
LEAST_DRAWN = 48  # the smallest set that every task can make


def describe(task: str, *, num_videos: int | None = None, seed: int = 0, more_test: int = 0) -> list[Video]:
    """Describe the videos of a task; without ``num_videos`` as many as the task usually has.

    ``more_test`` videos are added to the test split and leave all others as they are.
    """
    if task not in TASKS:
        near = did_you_mean(task, TASKS)
        raise UsageError(f"task must be one of {', '.join(TASKS)}, got {task!r}.{near}")
    if seed < 0:
        raise UsageError(f"seed must not be negative, got {seed}.")
    videos = TASKS[task](seed=seed) if num_videos is None else TASKS[task](num_videos, seed)
    return [*videos, *more_test_videos(task, more_test, seed=seed)]


def more_test_videos(task: str, count: int, *, seed: int) -> list[Video]:
    """``count`` test videos of another draw, in which everybody has another name."""
    if count < 0:
        raise UsageError(f"more_test must not be negative, got {count}.")
    if count and task in WITHOUT_STRANGERS:
        raise UsageError(
            f"more_test must be 0 for the task {task}, got {count}. Ask for more videos instead."
        )
    if not count:
        return []
    drawn = TASKS[task](max(LEAST_DRAWN, round(count / SPLIT_SHARES["test"])), seed + OTHER_DRAW)
    found = [_renamed(video) for video in drawn if video.split == "test"][:count]
    assert len(found) == count, f"{task} has {len(found)} test videos of {count}"
    return found


def _renamed(video: Video) -> Video:
    actors = tuple(
        replace(actor, person=replace(actor.person, name=f"more-{actor.person.name}"))
        for actor in video.actors
    )
    return replace(video, name=f"more-{video.name}", actors=actors)
