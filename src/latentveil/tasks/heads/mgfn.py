"""The published detector of anomalies, every number as in its public code."""

from __future__ import annotations

from dataclasses import replace

from latentveil.tasks.anomaly.config import MGFNConfig, SultaniConfig
from latentveil.tasks.anomaly.task import AnomalyTask
from latentveil.tasks.heads.base import Head, TaskData


def anomaly_task(data: TaskData, config: MGFNConfig | SultaniConfig) -> AnomalyTask:
    """Anomalies with such a detector, for clips of the store's length."""
    batch_videos = min(config.batch_videos, data.batch_size)
    config = replace(config, clip_frames=data.timing.clip_frames, batch_videos=batch_videos)
    return AnomalyTask(data.features, data.labels, data.segments, config)


head = Head(
    name="mgfn",
    task="anomaly",
    build=lambda data: anomaly_task(data, MGFNConfig()),
    about="MGFN with the numbers of its public code.",
    needs_segments=True,
)
