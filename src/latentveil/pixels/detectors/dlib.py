"""Faces that look at the camera, by the detector that dlib carries in its own code: histograms of gradients."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from pydantic import Field

from latentveil.config import Section
from latentveil.errors import InputError
from latentveil.pixels.detectors.base import NOTHING, Detector, Find

FAINT = -0.5  # margins down to this are told, too; dlib itself calls a face what has one above 0


class DlibOptions(Section):
    """How often the picture is doubled first: a face must have about 80 pixels then, so that once is 40."""

    doubled: int = Field(1, ge=0, le=3)


class FrontalFaces:
    """The detector with its rectangles read; a margin of 0 is the score 0.5."""

    def __init__(self, options: DlibOptions) -> None:
        self.options = options
        self.find = _require_dlib().get_frontal_face_detector()

    def __call__(self, rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray:
        height, width = rgb.shape[:2]
        places, margins, _ = self.find.run(np.ascontiguousarray(rgb), self.options.doubled, FAINT)
        if not len(places):
            return NOTHING.copy()
        corners = [(one.left(), one.top(), one.right() + 1, one.bottom() + 1) for one in places]
        score = 1 / (1 + np.exp(-np.asarray(margins, dtype=np.float64)))
        boxes = np.concatenate([np.array(corners), score[:, None]], axis=1).astype(np.float32)  # (K, 5)
        boxes[:, [0, 2]] = np.clip(boxes[:, [0, 2]], 0, width)
        boxes[:, [1, 3]] = np.clip(boxes[:, [1, 3]], 0, height)
        return boxes


def _require_dlib() -> Any:
    try:
        return import_module("dlib")
    except ImportError as error:
        raise InputError(
            "detector dlib must have the package dlib, got none. Run `pip install dlib-bin`."
        ) from error


def load(options: DlibOptions) -> Find:
    """The detector, ready."""
    return FrontalFaces(options)


detector = Detector(
    name="dlib",
    load=load,
    about="Faces that look at the camera, by the detector inside dlib (Boost licence).",
    finds="face",
    sure=0.5,
    unsure=0.4,
    Options=DlibOptions,
)
