"""Boxes that somebody else found, or knows: read from a CSV file."""

from __future__ import annotations

import numpy as np

from latentveil.config import Section
from latentveil.errors import InputError, UsageError
from latentveil.pixels.detectors.base import Detector, Find
from latentveil.video.boxes import read_boxes


class BoxesOptions(Section):
    """The file, with the columns video, frame, left, top, right, bottom; and which label counts (blank: all)."""

    file: str = ""
    label: str = ""


class KnownBoxes:
    """Looks up the boxes of a frame. A video that the file does not name is refused: its people would stay visible."""

    def __init__(self, options: BoxesOptions) -> None:
        if not options.file:
            raise UsageError("file of the detector boxes must name a CSV file, got none.")
        self.options = options
        self.boxes = read_boxes(options.file)

    def __call__(self, rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray:
        if video not in self.boxes:
            raise InputError(
                f"{self.options.file} must have boxes of every video, got none of {video!r}. "
                "Add them, or its name alone where nobody is in it."
            )
        found = self.boxes[video].at(frame)
        found = found.labelled(self.options.label) if self.options.label else found
        return np.concatenate([found.corners, found.score[:, None]], axis=1)


def load(options: BoxesOptions) -> Find:
    """The boxes of the file."""
    return KnownBoxes(options)


detector = Detector(
    name="boxes",
    load=load,
    about="Boxes of a CSV file, by video and frame.",
    finds="box",
    sure=0.0,
    unsure=0.0,
    Options=BoxesOptions,
)
