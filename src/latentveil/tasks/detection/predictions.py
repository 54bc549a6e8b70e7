"""Detections as the JSON file that the ActivityNet and THUMOS14 evaluations read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import InputError
from latentveil.files.json_files import read_json
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


def read_predictions(path: str | Path) -> Detections:
    """Read such a file, its rows in the order of the file."""
    content = read_json(path, what="a JSON file of predictions")
    try:
        rows = [(video, item) for video, found in content["results"].items() for item in found]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f'{path} must be of the form {{"results": {{video: [...]}}}}, got {error}.'
        ) from error
    values = [_numbers(path, video, item) for video, item in rows]  # [(score, start, end)]
    score, start, end = np.array(values, dtype=np.float64).reshape(-1, 3).T
    return Detections(
        video=np.array([video for video, _ in rows], dtype=str),
        label=np.array([item["label"] for _, item in rows], dtype=str),
        score=score,
        start_seconds=start,
        end_seconds=end,
    )


def _numbers(path: str | Path, video: str, item: Any) -> tuple[float, float, float]:
    """Score, start and end of one entry."""
    try:
        start, end = map(float, item["segment"])
        score = float(item["score"])
        item["label"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: predictions must have label, score and segment, got {item} of {video!r}."
        ) from error
    if not all(map(math.isfinite, (score, start, end))) or end < start:
        raise InputError(f"{path}: segments must be finite with start <= end, got {item} of {video!r}.")
    return score, start, end
