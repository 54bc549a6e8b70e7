"""The data sets by task name."""

from __future__ import annotations

from collections.abc import Callable

from latentveil.actors.description import Video
from latentveil.actors.sets.action import action_videos
from latentveil.actors.sets.anomaly import anomaly_videos
from latentveil.actors.sets.bias import bias_videos
from latentveil.actors.sets.detection import detection_videos
from latentveil.actors.sets.gait import gait_videos
from latentveil.actors.sets.images import image_videos
from latentveil.errors import InputError

TASKS: dict[str, Callable[..., list[Video]]] = {
    "action": action_videos,
    "detection": detection_videos,
    "anomaly": anomaly_videos,
    "gait": gait_videos,
    "bias": bias_videos,
    "images": image_videos,
}


def describe(task: str, *, num_videos: int | None = None, seed: int = 0) -> list[Video]:
    """Describe the videos of a task; without ``num_videos`` as many as the task usually has."""
    if task not in TASKS:
        raise InputError(f"task must be one of {', '.join(TASKS)}, got {task!r}.")
    if seed < 0:
        raise InputError(f"seed must not be negative, got {seed}.")
    return TASKS[task](seed=seed) if num_videos is None else TASKS[task](num_videos, seed)
