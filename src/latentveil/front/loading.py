"""From a name or a folder to an adapter of features or a pixel anonymizer, whichever it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_download

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.saved import CONFIG_FILE, is_hub_name, load_saved
from latentveil.errors import UsageError
from latentveil.pixels.anonymizer import LEVEL, PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import make_unlearned


def load_either(
    path: str | Path, *, preset: str | None = None, settings: Mapping[str, Any] | Sequence[str] = ()
) -> Adapter | PixelAnonymizer:
    """What the folder ``path`` holds, or that name on the hub, or the pixel method of that name that learns nothing.

    ``preset`` and ``settings`` are for such a method.
    """
    if not Path(path).exists() and str(path) in PIXEL_METHODS.names():
        return make_unlearned(str(path), preset, settings)
    if preset is not None or settings:
        raise UsageError(
            f"preset and settings must be left out for an anonymizer that is made already, got some for {path}."
        )
    return load_saved(PixelAnonymizer, path) if _level(path) == LEVEL else load_saved(Adapter, path)


def _level(path: str | Path) -> str | None:
    """What config.json says; None where there is none, which loading explains."""
    config = Path(path) / CONFIG_FILE
    if not Path(path).exists() and is_hub_name(str(path)):
        try:
            config = Path(hf_hub_download(str(path), CONFIG_FILE))
        except Exception:  # no connection, no such name: loading says which
            return None
    try:
        found = json.loads(config.read_text())
    except (OSError, ValueError):
        return None
    return found.get("level") if isinstance(found, dict) else None
