"""The published detector of actions in time, every number as published."""

from __future__ import annotations

from dataclasses import replace

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.task import DetectionTask
from latentveil.tasks.heads.base import Head, TaskData


def detection_task(data: TaskData, config: TriDetConfig) -> DetectionTask:
    """Detection with such a TriDet, for clips of the store's length and rate."""
    batch_size = min(config.batch_size, data.batch_size)
    config = replace(config, clip_frames=data.timing.clip_frames, batch_size=batch_size)
    if data.timing.fps is not None:
        config = replace(config, single_clip_fps=data.timing.fps)
    return DetectionTask(data.features, data.labels, data.segments, config=config)


head = Head(
    name="tridet",
    task="detection",
    build=lambda data: detection_task(data, TriDetConfig()),
    about="TriDet as published for THUMOS14.",
    needs_segments=True,
)
