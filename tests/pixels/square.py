"""A detector that finds a white square and blinks, and videos of one: whether it slips through is easily seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.config import Section
from latentveil.pixels.detectors.base import NOTHING, Detector
from latentveil.pixels.fit import make_unlearned
from latentveil.video.write import write_video

NUM_FRAMES, SIDE = 60, 12
NAME = "tests.pixels.square:detector"


class BlinkOptions(Section):
    """The frames that it does not see, and those in which it is not sure, as numbers with spaces."""

    blind: str = ""
    faint: str = ""


def frame_at(number: int, *, height: int = 64, width: int = 96) -> np.ndarray:
    """A grey frame with a white square that moves a pixel each frame."""
    rgb = np.full((height, width, 3), 60, dtype=np.uint8)
    rgb[20 : 20 + SIDE, 10 + number : 10 + number + SIDE] = 255
    return rgb


def is_visible(rgb: np.ndarray) -> bool:
    """Whether anything of the square is."""
    return bool((rgb > 200).any())


def write_square(path: Path, *, num_frames: int = NUM_FRAMES) -> Path:
    write_video(path, (frame_at(number) for number in range(num_frames)), fps=25)
    return path


def cover(*settings, blind=(), faint=()):
    """An anonymizer that covers the square where this detector sees it."""
    blinks = [
        f"detector_options.{name}={' '.join(map(str, numbers))}"
        for name, numbers in (("blind", blind), ("faint", faint))
    ]
    return make_unlearned("cover", None, [f"detector={NAME}", *blinks, *settings])


def load(options: BlinkOptions):
    blind, faint = ({int(number) for number in text.split()} for text in (options.blind, options.faint))

    def find(rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray:
        rows, columns = np.nonzero(rgb.min(axis=-1) > 200)
        if not len(rows) or frame in blind:
            return NOTHING
        score = 0.2 if frame in faint else 0.9
        corners = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        return np.array([[*corners, score]], dtype=np.float32)

    return find


detector = Detector(name=NAME, load=load, about="A white square.", finds="square", Options=BlinkOptions)
