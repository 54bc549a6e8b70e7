"""A detector of anomalies for short videos and a CPU."""

from __future__ import annotations

from latentveil.tasks.anomaly.config import MGFNConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.mgfn import anomaly_task

head = Head(
    name="mgfn-small",
    task="anomaly",
    build=lambda data: anomaly_task(data, MGFNConfig.small()),
    about="MGFN for short videos and a CPU.",
    usual=True,
    needs_segments=True,
)
