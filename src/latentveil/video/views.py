"""Views: how a frame becomes the square picture an encoder sees.

Validation view at size S: the short side is resized to round(S * 256 / 224) with antialias, then the central S x S is
cut out. Training view: a random part of the picture, resized to S x S and mirrored half of the time; all frames of a
clip share one draw.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import interpolate

SHORT_SIDE_PER_SIZE = 256 / 224
# The usual random resized crop; the static clips of the released code keep at least 80 %.
TEMPORAL_SCALE = (0.08, 1.0)
STATIC_SCALE = (0.8, 1.0)
ASPECT_RATIO = (3 / 4, 4 / 3)
_ATTEMPTS = 10


@dataclass(frozen=True)
class Crop:
    """A rectangle of a frame, in pixels, and whether it is mirrored."""

    top: int
    left: int
    height: int
    width: int
    flip: bool


def validation_view(frame: np.ndarray, size: int) -> np.ndarray:
    """The centre of ``frame`` (H, W, 3) uint8, as (size, size, 3)."""
    height, width = frame.shape[:2]
    short_side = round(size * SHORT_SIDE_PER_SIZE)
    scale = short_side / min(height, width)
    resized = resize(frame, max(short_side, round(height * scale)), max(short_side, round(width * scale)))
    top, left = (resized.shape[0] - size) // 2, (resized.shape[1] - size) // 2
    return resized[top : top + size, left : left + size]


def training_view(frame: np.ndarray, size: int, *, crop: Crop) -> np.ndarray:
    """The part ``crop`` of ``frame`` (H, W, 3) uint8, as (size, size, 3)."""
    part = frame[crop.top : crop.top + crop.height, crop.left : crop.left + crop.width]
    resized = resize(part, size, size)
    return resized[:, ::-1] if crop.flip else resized


def random_crop(
    height: int, width: int, *, rng: np.random.Generator, scale: tuple[float, float] = TEMPORAL_SCALE
) -> Crop:
    """A part of a (height, width) frame: ``scale`` bounds its share of the area, its aspect ratio is 3:4 to 4:3.

    Where no draw of ten fits into the frame, the largest central part with an allowed aspect ratio is taken.
    """
    flip = bool(rng.random() < 0.5)
    for _ in range(_ATTEMPTS):
        area = height * width * rng.uniform(*scale)
        ratio = math.exp(rng.uniform(*np.log(ASPECT_RATIO)))
        crop_height, crop_width = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
        if 0 < crop_height <= height and 0 < crop_width <= width:
            top, left = rng.integers(height - crop_height + 1), rng.integers(width - crop_width + 1)
            return Crop(int(top), int(left), crop_height, crop_width, flip)
    crop_height = min(height, max(1, round(width / ASPECT_RATIO[0])))
    crop_width = min(width, max(1, round(height * ASPECT_RATIO[1])))
    return Crop((height - crop_height) // 2, (width - crop_width) // 2, crop_height, crop_width, flip)


def clip_generator(seed: int, *place: str | int) -> np.random.Generator:
    """A generator for one clip, from the seed and the clip's place (video, kind, start, view) alone.

    It depends neither on the order of the work nor on the number of workers, so that a resumed run draws the same.
    """
    text = "\n".join(map(str, (seed, *place)))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def resize(frame: np.ndarray, height: int, width: int) -> np.ndarray:
    """``frame`` (H, W, 3) uint8 as (height, width, 3): bilinear, with antialias when it shrinks."""
    if frame.shape[:2] == (height, width):
        return frame
    # A view in channels-last order, for which torch has a fast uint8 kernel.
    batch = torch.from_numpy(np.require(frame, requirements=["C", "W"])).permute(2, 0, 1)[
        None
    ]  # (1, 3, H, W)
    resized = interpolate(batch, size=(height, width), mode="bilinear", antialias=True)
    return resized[0].permute(1, 2, 0).numpy()  # (height, width, 3)
