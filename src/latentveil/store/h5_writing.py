"""HDF5 files written so that a full disk ends in an error; the HDF5 library itself crashes on one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


class _RememberingFile(io.FileIO):
    """A file whose failed writes are remembered and not told: HDF5 must be able to close its file in peace."""

    error: OSError | None = None

    def write(self, content: Any) -> int:
        view = memoryview(content).cast("B")
        done = 0
        try:
            while done < len(view) and self.error is None:
                done += super().write(view[done:]) or 0
        except OSError as error:
            self.error = error
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = error
            return self.tell() if size is None else size


class H5Writer:
    """An HDF5 file that is being written, an array at a time."""

    def __init__(self, path: Path) -> None:
        import h5py

        self._raw = _RememberingFile(path, "w+")
        self._file = h5py.File(self._raw, "w")

    def write(self, name: str, array: np.ndarray) -> None:
        """Add a dataset, or raise the error of an earlier write."""
        self._file.create_dataset(name, data=array)
        self.check()

    def check(self) -> None:
        if self._raw.error is not None:
            raise self._raw.error

    def close(self) -> None:
        self._file.close()
        self._raw.close()


@contextmanager
def new_h5(path: Path) -> Iterator[H5Writer]:
    """A new HDF5 file at ``path``; leaving the block raises what went wrong with any write."""
    writer = H5Writer(path)
    try:
        yield writer
    finally:
        writer.close()
    writer.check()
