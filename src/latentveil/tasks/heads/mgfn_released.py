"""The published detector of anomalies, as the public code of the paper on anonymization trains it."""

from __future__ import annotations

from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig
from latentveil.tasks.heads.base import Head
from latentveil.tasks.heads.mgfn import anomaly_task

RELEASED = MGFNConfig(
    weights=LossWeights.released(), batch_videos=16, epochs=250, pool_first=True, decoupled_decay=True
)

head = Head(
    name="mgfn-released",
    task="anomaly",
    build=lambda data: anomaly_task(data, RELEASED),
    about="MGFN as SPLAVU's public code trains it: segments pooled first, 8 + 8 videos, AdamW.",
    needs_segments=True,
)
