"""Files that others hand over must be regular ones: a device may never end, and a pipe never begin."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR, S_ISREG

from latentveil.errors import InputError
from latentveil.files.places import PlaceLike, as_place


def require_regular_file(path: PlaceLike, *, what: str) -> None:
    """Refuse a device, a pipe or a folder where a file should be ``what``, such as "a manifest"; nothing is opened.

    What is not there, or may not be looked at, is told by whoever opens it.
    """
    place = as_place(path)
    if not isinstance(place, Path):
        return  # an object store has files and nothing else
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError):
        return
    if not S_ISREG(mode):
        found = "a folder" if S_ISDIR(mode) else "a device or a pipe, which may never end"
        raise InputError(f"{path} must be {what}, got {found}. Give a regular file.")


def read_file(path: PlaceLike, *, what: str) -> bytes:
    """The bytes of a file that should be ``what``."""
    require_regular_file(path, what=what)
    try:
        return as_place(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} must be {what}, got: {error.strerror or error}.") from error
