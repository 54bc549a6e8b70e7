"""The contract of a detector: boxes inside the frame, with scores, for frames of any size, the same each time."""

from __future__ import annotations

from typing import Any

import numpy as np

from latentveil.pixels.detectors.base import DETECTORS, Detector
from latentveil.testing.contract import ContractBroken, require, require_facts
from latentveil.testing.scraps import make_clip

VIDEO = "video0"


def check_detector(detector: str | Detector, *, options: dict[str, Any] | None = None) -> None:
    """Raise ``ContractBroken`` where the detector (a name or the object) breaks a promise; ``options`` are its own.

    It is tried on frames made on the spot, which are called frames 0 to 2 of `video0`.
    """
    found = DETECTORS.get(detector)
    require_facts(found, "detector")
    require(
        0 <= found.unsure <= found.sure <= 1,
        f"detector {found.name!r} must have 0 <= unsure <= sure <= 1, got {found.unsure} and {found.sure}.",
    )
    _refuses_unknown_options(found)
    find = found.start(options or {})
    picture = make_clip()[0]
    pictures = (picture, np.tile(picture, (2, 1, 1))[:, :50], np.zeros((33, 47, 3), dtype=np.uint8))
    for number, rgb in enumerate(pictures):
        before = rgb.copy()
        boxes = find(rgb, video=VIDEO, frame=number)
        require(np.array_equal(before, rgb), f"detector {found.name!r} must leave the frame as it is.")
        _are_boxes(found, boxes, rgb.shape[:2])
        again = find(rgb, video=VIDEO, frame=number)
        require(
            np.array_equal(boxes, again), f"detector {found.name!r} must find the same in the same frame."
        )


def _are_boxes(detector: Detector, boxes: np.ndarray, size: tuple[int, ...]) -> None:
    name = f"boxes of the detector {detector.name!r}"
    require(
        isinstance(boxes, np.ndarray) and boxes.ndim == 2 and boxes.shape[1] == 5,
        f"{name} must be an array (K, 5), got {getattr(boxes, 'shape', type(boxes))}.",
    )
    limits = np.array([size[1], size[0], size[1], size[0], 1.0])
    inside = bool(((boxes >= 0) & (boxes <= limits)).all())
    require(inside, f"{name} must lie in the frame, with scores from 0 to 1, got {boxes}.")
    require((boxes[:, :2] <= boxes[:, 2:4]).all(), f"{name} must have left <= right and top <= bottom.")


def _refuses_unknown_options(detector: Detector) -> None:
    try:
        detector.start({"no_such_option": 1})
    except ValueError:
        return
    raise ContractBroken(f"detector {detector.name!r} must refuse unknown options, got one in.")
