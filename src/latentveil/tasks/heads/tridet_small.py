"""A detector of actions in time for a few hundred short videos and a CPU."""

from __future__ import annotations

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.tridet import detection_task

head = Head(
    name="tridet-small",
    task="detection",
    build=lambda data: detection_task(data, TriDetConfig.small()),
    about="TriDet for a few hundred short videos and a CPU.",
    usual=True,
    needs_segments=True,
)
