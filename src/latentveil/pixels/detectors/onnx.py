"""A person detector of your own: an ONNX file with the output of the YOLO family."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import Field

from latentveil.config import Section
from latentveil.errors import InputError
from latentveil.pixels.detectors.base import NOTHING, Detector, Find, best_of_overlapping
from latentveil.pixels.detectors.session import open_session
from latentveil.video.views import resize

GREY = 114  # the border around frames that the network was trained with
LOWEST_SCORE = 0.05
SAME_PERSON = 0.5


class OnnxOptions(Section):
    """The file, the side of the square it takes, and the number of the class that is covered (0: person in COCO).

    The output is (1, 4 + classes, N) or its transpose, as of YOLOv8 and later; with ``objectness``, a score of the
    box comes before those of the classes, as of YOLOv5 and YOLOX. Boxes are middle and size, in pixels of the square.
    """

    file: str = ""
    side: int = Field(640, ge=32)
    class_index: int = Field(0, ge=0)
    objectness: bool = False


class YoloStyle:
    """The network with frames fitted into its square, and its rows read."""

    def __init__(self, options: OnnxOptions) -> None:
        if not options.file or not Path(options.file).is_file():
            raise InputError(f"file of the detector onnx must be an ONNX file, got {options.file!r}.")
        self.options = options
        self.session = open_session(Path(options.file))
        self.input = self.session.get_inputs()[0].name

    def __call__(self, rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray:
        side = self.options.side
        height, width = rgb.shape[:2]
        scale = side / max(height, width)
        small = resize(rgb, max(1, round(height * scale)), max(1, round(width * scale)))
        square = np.full((side, side, 3), GREY, dtype=np.uint8)
        square[: small.shape[0], : small.shape[1]] = small
        picture = square.transpose(2, 0, 1)[None].astype(np.float32) / 255  # (1, 3, side, side)
        boxes = read_rows(self.session.run(None, {self.input: picture})[0], self.options)
        boxes[:, :4] /= scale
        boxes[:, [0, 2]] = np.clip(boxes[:, [0, 2]], 0, width)
        boxes[:, [1, 3]] = np.clip(boxes[:, [1, 3]], 0, height)
        return boxes


def read_rows(output: np.ndarray, options: OnnxOptions) -> np.ndarray:
    """Boxes (K, 5) of the chosen class from a network's output (1, 4 + classes, N) or (1, N, 4 + classes)."""
    if output.ndim != 3 or output.shape[0] != 1:
        raise InputError(f"{options.file} must give (1, 4 + classes, N), got {output.shape}.")
    rows = output[0].T if output.shape[1] < output.shape[2] else output[0]  # (N, 4 + classes)
    first = 5 if options.objectness else 4
    if rows.shape[1] <= first + options.class_index:
        raise InputError(
            f"class_index must be one of the {rows.shape[1] - first} classes of {options.file}, got "
            f"{options.class_index}."
        )
    score = rows[:, first + options.class_index] * (rows[:, 4] if options.objectness else 1.0)
    kept = score > LOWEST_SCORE
    if not kept.any():
        return NOTHING.copy()
    middle, half = rows[kept, :2], rows[kept, 2:4] / 2
    boxes = np.concatenate([middle - half, middle + half, score[kept, None]], axis=1)
    return best_of_overlapping(boxes, limit=SAME_PERSON)


def load(options: OnnxOptions) -> Find:
    """The detector, ready."""
    return YoloStyle(options)


detector = Detector(
    name="onnx",
    load=load,
    about="People by an ONNX file of your own, with the output of the YOLO family.",
    finds="person",
    Options=OnnxOptions,
)
