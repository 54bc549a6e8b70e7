"""What a detector is: a file `pixels/detectors/<name>.py` that assigns ``detector`` is the detector of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from latentveil.config import Section, check_settings
from latentveil.errors import PluginError
from latentveil.plugins import Kind
from latentveil.video.boxes import overlap_by_union


class Find(Protocol):
    """Finds boxes in a frame ``rgb`` (H, W, 3) uint8: (K, 5) of left, top, right, bottom in pixels, and the score.

    ``video`` and ``frame`` say which frame it is, for detectors that look it up.
    """

    def __call__(self, rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray: ...


@dataclass(frozen=True)
class Detector:
    """A way to find boxes: ``load(options)`` makes the function that does, ``about`` says what it finds and how.

    ``finds`` is the label of its boxes. Scores are from 0 to 1: a box of score ``sure`` or more begins a track, boxes
    from ``unsure`` on continue one.
    """

    name: str
    load: Callable[[Any], Find]
    about: str
    finds: str = "face"
    sure: float = 0.25
    unsure: float = 0.1
    Options: type[Section] = Section

    def start(self, options: dict[str, Any]) -> Find:
        """The function of a detector with these options; unknown ones are refused."""
        return self.load(check_settings(self.Options, options))

    def require_boxes(self, found: object) -> np.ndarray:
        """What the detector's function gave for a frame, (K, 5), or an error: a broken one must not find nobody."""
        wrong = None
        if not isinstance(found, np.ndarray) or found.ndim != 2 or found.shape[1] != 5:
            wrong = f"an array (K, 5), got {getattr(found, 'shape', type(found).__name__)}"
        elif not np.isfinite(found).all():
            wrong = "finite, got NaN or infinity"
        elif (found[:, :2] > found[:, 2:4]).any():
            wrong = f"left, top, right, bottom and a score, got {found[(found[:, :2] > found[:, 2:4]).any(axis=1)][0]}"
        if wrong:
            raise PluginError(f"boxes of the detector {self.name} must be {wrong}. Mend it.")
        assert isinstance(found, np.ndarray)
        return found


DETECTORS = Kind("detector", "latentveil.pixels.detectors", Detector)

NOTHING = np.zeros((0, 5), dtype=np.float32)


def best_of_overlapping(boxes: np.ndarray, *, limit: float) -> np.ndarray:
    """Boxes (K, 5) without those that overlap a better one by more than ``limit`` of their union."""
    left = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    kept = []
    while len(left):
        kept.append(left[0])
        shared = overlap_by_union(left[:1, :4], left[:, :4])[0]
        left = left[shared <= limit]
    return np.array(kept, dtype=np.float32).reshape(-1, 5)
