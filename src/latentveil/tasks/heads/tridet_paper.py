"""The published detector of actions in time, with the loss as the paper on anonymization writes it."""

from __future__ import annotations

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.tridet import detection_task

head = Head(
    name="tridet-paper",
    task="detection",
    build=lambda data: detection_task(data, TriDetConfig.paper()),
    about="TriDet of the published size, with the loss of SPLAVU's Eq. 8.",
    needs_segments=True,
)
