"""The head of actions: one linear map."""

from __future__ import annotations

from latentveil.tasks.action import ActionTask
from latentveil.tasks.heads.base import Head, TaskData


def build(data: TaskData) -> ActionTask:
    """Actions, read by a linear map of each clip."""
    return ActionTask(
        data.features,
        data.labels,
        batch_size=data.batch_size,
        clips_per_video=data.clips_per_video,
        whole_videos=data.whole_videos,
    )


head = Head(
    name="linear",
    task="action",
    build=build,
    about="A linear map of each clip, averaged over five.",
    usual=True,
)
