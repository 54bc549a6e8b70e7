"""The published detector of actions in time, every oddity of the public code included."""

from __future__ import annotations

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.tridet import detection_task

head = Head(
    name="tridet-released",
    task="detection",
    build=lambda data: detection_task(data, TriDetConfig.released()),
    about="TriDet as SPLAVU's public code has it, padding and zero branches included.",
    needs_segments=True,
)
