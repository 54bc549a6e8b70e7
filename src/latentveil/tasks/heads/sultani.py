"""The oldest detector of anomalies that learns from labels of whole videos."""

from __future__ import annotations

from latentveil.tasks.anomaly.config import SultaniConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.mgfn import anomaly_task

head = Head(
    name="sultani",
    task="anomaly",
    build=lambda data: anomaly_task(data, SultaniConfig()),
    about="Three linear layers and a ranking loss (Sultani et al., CVPR 2018).",
    needs_segments=True,
)
