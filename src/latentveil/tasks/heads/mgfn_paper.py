"""The published detector of anomalies, with the loss as its paper writes it."""

from __future__ import annotations

from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.mgfn import anomaly_task

head = Head(
    name="mgfn-paper",
    task="anomaly",
    build=lambda data: anomaly_task(data, MGFNConfig(weights=LossWeights.paper())),
    about="MGFN with the loss weights that its paper writes.",
    needs_segments=True,
)
