"""Whether an export is there already: files that hold the same arrays, number for number, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.notices import notify
from latentveil.store.array_files import close_all, list_arrays, load_array


def require_exported_before(
    place: Path, files: Iterable[Path], arrays: Iterable[tuple[Path, str, np.ndarray]], *, rule: str
) -> None:
    """Say that the export of ``arrays`` (file, name, values) is done where ``files`` hold just these; refuse others.

    ``place`` is what a user named, and ``rule`` what it must be where nothing is done yet.
    """
    if not _hold_just(files, arrays):
        raise InputError(
            f"{place} must be {rule}, or hold this very export, got something else. "
            "Choose another place, or delete it."
        )
    told = f"{place} holds this very export already: nothing is written again."
    notify(told)


def _hold_just(files: Iterable[Path], arrays: Iterable[tuple[Path, str, np.ndarray]]) -> bool:
    try:
        left = {(file, name) for file in files for name in _names_in(file)}
        for file, name, wanted in arrays:
            if (file, name) not in left or not _holds(file, name, wanted):
                return False
            left.discard((file, name))
    finally:
        close_all()
    return not left


def _names_in(file: Path) -> list[str | None]:
    """The arrays of a file; None stands for what is no array."""
    try:
        return [*list_arrays(file)]
    except InputError:
        return [None]


def _holds(file: Path, name: str, wanted: np.ndarray) -> bool:
    try:
        found = load_array(file, name)
    except InputError:
        return False
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return False
    return np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")
