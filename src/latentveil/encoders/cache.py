"""The user cache: where it is, and how several processes may fill it at once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from latentveil.errors import InputError


def cache_folder() -> Path:
    """LATENTVEIL_CACHE, or latentveil/ in XDG_CACHE_HOME, or ~/.cache/latentveil."""
    if chosen := os.environ.get("LATENTVEIL_CACHE"):
        return Path(chosen).expanduser()
    parent = os.environ.get("XDG_CACHE_HOME")
    return (Path(parent) if parent else Path.home() / ".cache") / "latentveil"


@contextmanager
def fill_once(target: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes ``target`` when the block ends well.

    Of several processes that fill the same target, the first to finish wins and the others' folders vanish; nobody
    ever sees a half-filled target.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent)
    except OSError as error:
        raise InputError(
            f"cache folder must be writable, got {target.parent} ({error.strerror}). "
            "Set LATENTVEIL_CACHE to another one."
        ) from error
    with temporary as parent:
        folder = Path(parent) / target.name
        folder.mkdir()
        yield folder
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():
                raise
