"""From a name or a folder to an adapter of features or a pixel anonymizer, whichever it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.saved import load_saved, read_config
from latentveil.errors import InputError, UsageError
from latentveil.files.places import PlaceLike, as_place
from latentveil.names import did_you_mean
from latentveil.pixels.anonymizer import LEVEL, PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import make_unlearned


def load_either(
    path: PlaceLike, *, preset: str | None = None, settings: Mapping[str, Any] | Sequence[str] = ()
) -> Adapter | PixelAnonymizer:
    """What the folder ``path`` holds, or that name on the hub, or the pixel method of that name that learns nothing.

    ``preset`` and ``settings`` are for such a method.
    """
    if not as_place(path).exists() and str(path) in PIXEL_METHODS.names():
        return make_unlearned(str(path), preset, settings)
    if preset is not None or settings:
        raise UsageError(
            f"preset and settings must be left out for an anonymizer that is made already, got some for {path}."
        )
    near = did_you_mean(str(path), PIXEL_METHODS.names())
    if near and not as_place(path).exists():
        raise InputError(f"{path} must be a folder or the name of a pixel method, got nothing there.{near}")
    in_pixels = read_config(path).get("level") == LEVEL
    return load_saved(PixelAnonymizer, path) if in_pixels else load_saved(Adapter, path)
