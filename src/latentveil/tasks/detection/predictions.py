"""Detections as the JSON file that the ActivityNet and THUMOS14 evaluations read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from latentveil.files.outputs import write_whole
from latentveil.metrics.detection_map import Detections

VERSION = "VERSION 1.3"  # the value that ActivityNet's own scripts write


def write_predictions(path: str | Path, detections: Detections) -> None:
    """Write ``{"version", "results": {video: [{"label", "score", "segment": [start, end]}]}, "external_data"}``."""
    results: dict[str, list[dict[str, Any]]] = {}
    rows = zip(*(column.tolist() for column in vars(detections).values()))
    for video, label, score, start, end in rows:
        results.setdefault(video, []).append({"label": label, "score": score, "segment": [start, end]})
    write_whole(path, json.dumps({"version": VERSION, "results": results, "external_data": {}}) + "\n")
