"""Random views of a clip: one crop, mirroring, brightness, contrast and erased part for all of its frames."""

from __future__ import annotations

import numpy as np
from torch import Tensor
from torch.nn.functional import interpolate

from latentveil.pixels.learning.settings import ClipSection

ERASED_SIDES = (0.1, 0.4)  # of the sides of the frame


Crop = tuple[int, int, int]  # top, left and side, in pixels


def random_crop(size: int, smallest: float, random: np.random.Generator) -> Crop:
    """A square of at least ``smallest`` of the sides of a frame of ``size`` pixels."""
    side = round(size * random.uniform(smallest, 1))
    top, left = random.integers(size - side + 1, size=2)
    return int(top), int(left), side


def random_view(
    clip: Tensor, settings: ClipSection, random: np.random.Generator, *, crop: Crop | None = None
) -> Tensor:
    """A view of ``clip`` (T, 3, S, S) in [0, 1], of the same shape; ``crop`` is drawn where none is given."""
    size = clip.shape[-1]
    top, left, side = crop or random_crop(size, settings.crop, random)
    view = clip[..., top : top + side, left : left + side]
    if side < size:
        view = interpolate(view, size=(size, size), mode="bilinear")
    if settings.flip and random.random() < 0.5:
        view = view.flip(-1)
    if settings.jitter:
        brightness, contrast = random.uniform(1 - settings.jitter, 1 + settings.jitter, size=2)
        middle = view.mean()
        view = ((view - middle) * contrast + middle * brightness).clamp(0, 1)
    if random.random() < settings.erase:
        view = view.clone()
        height, width = (round(size * share) for share in random.uniform(*ERASED_SIDES, size=2))
        top, left = random.integers(size - height + 1), random.integers(size - width + 1)
        view[..., top : top + height, left : left + width] = 0.5
    return view
