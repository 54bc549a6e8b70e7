"""Named arrays in the files people keep features in: .npy, .npz, .h5 and .safetensors, never unpickling anything."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import IO, Any
from weakref import finalize

import numpy as np

from latentveil.errors import InputError
from latentveil.files.place_files import local_file
from latentveil.files.places import Place
from latentveil.files.regular_files import require_regular_file

# Numbers do not shrink much: an array that claims to unpack to more than this many times its file is a trap.
MOST_UNPACKED = 100
# Where a file is small, headers and padding count for more.
ALWAYS_ALLOWED_BYTES = 64 << 20
# Containers kept open at a time: a folder may hold more files than a process may open.
OPEN_FILES = 4


class ArrayFile(ABC):
    """A file of named arrays whose shapes can be told without reading the arrays."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """{name: shape} of every array."""

    @abstractmethod
    def load(self, name: str) -> np.ndarray:
        """One array, as it is stored."""


class NpyFile(ArrayFile):
    """A single array; its name is empty."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        with open(self.path, "rb") as file:
            shape, dtype = _read_npy_header(file)
            there = self.path.stat().st_size - file.tell()
        if math.prod(shape) * dtype.itemsize > there:
            raise ValueError(f"{there} bytes where shape {shape} needs more")
        return {"": shape}

    def load(self, name: str) -> np.ndarray:
        assert not name, "an .npy file holds one array without a name"
        return np.load(self.path, allow_pickle=False)


class NpzFile(ArrayFile):
    """Arrays in a zip file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.archive: Any = np.load(path, allow_pickle=False)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        found = {}
        for member in self.archive.zip.namelist():
            if member.endswith(".npy"):
                with self.archive.zip.open(member) as file:
                    shape, dtype = _read_npy_header(file)
                _require_plausible(self.path, math.prod(shape) * dtype.itemsize)
                found[member.removesuffix(".npy")] = shape
        return found

    def load(self, name: str) -> np.ndarray:
        return self.archive[name]


class Hdf5File(ArrayFile):
    """Datasets of an HDF5 file; one inside groups is named by its path.

    What such a file may point to outside itself (links, external and virtual datasets) is refused: it would bring in
    any file of this machine.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        import h5py

        self.h5py = h5py
        self.file = h5py.File(path, "r")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        groups: list[tuple[str, Any]] = [("", self.file)]
        seen: set[int] = set()
        while groups:
            prefix, group = groups.pop()
            for name in group:
                place = f"{prefix}{name}"
                if not isinstance(group.get(name, getlink=True), self.h5py.HardLink):
                    raise ValueError(f"{place!r}, a link to somewhere else, which is never followed")
                node = group[name]
                if isinstance(node, self.h5py.Dataset):
                    found[place] = self._shape_of(place, node)
                elif isinstance(node, self.h5py.Group) and hash(node.id) not in seen:
                    seen.add(hash(node.id))  # a group may hold itself
                    groups.append((f"{place}/", node))
        return dict(sorted(found.items()))

    def _shape_of(self, name: str, dataset: Any) -> tuple[int, ...]:
        if dataset.external is not None or dataset.is_virtual:
            raise ValueError(f"{name!r}, whose numbers are in another file, which is never opened")
        if dataset.shape is None:
            raise ValueError(f"{name!r} without any number")
        _require_plausible(self.path, math.prod(dataset.shape) * dataset.dtype.itemsize)
        return dataset.shape

    def load(self, name: str) -> np.ndarray:
        return self.file[name][()]


class SafetensorsFile(ArrayFile):
    """Tensors of a .safetensors file; read by torch, because numpy has no bfloat16."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        from safetensors import safe_open

        self.file = safe_open(path, framework="pt")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(self.file.get_slice(name).get_shape()) for name in self.file.keys()}  # noqa: SIM118

    def load(self, name: str) -> np.ndarray:
        return self.file.get_tensor(name).float().numpy()


_FORMATS: dict[str, type[ArrayFile]] = {
    ".npy": NpyFile,
    ".npz": NpzFile,
    ".h5": Hdf5File,
    ".hdf5": Hdf5File,
    ".safetensors": SafetensorsFile,
}
SUFFIXES = tuple(_FORMATS)


@lru_cache(maxsize=OPEN_FILES)
def _open(path: Place) -> ArrayFile:
    stack = ExitStack()
    file = _FORMATS[path.suffix.lower()](stack.enter_context(local_file(path)))
    finalize(file, stack.close)  # a copy of a file behind a URL goes when nobody reads it any more
    return file


def list_arrays(path: Place) -> dict[str, tuple[int, ...]]:
    """{name: shape} of every array in the file."""
    require_regular_file(path, what=f"a readable {path.suffix} file")
    try:
        return _open(path).shapes()
    except Exception as error:  # four parsers, each with its own errors for a damaged file
        raise _unreadable(path, error) from error


def load_array(path: Place, name: str) -> np.ndarray:
    """One array of the file; object arrays, which would need unpickling, are refused."""
    try:
        return _open(path).load(name)
    except Exception as error:  # as above
        raise _unreadable(path, error) from error


def close_all() -> None:
    """Forget the files that are still open."""
    _open.cache_clear()


def _unreadable(path: Place, error: Exception) -> InputError:
    return InputError(f"{path} must be a readable {path.suffix} file, got: {str(error)[:500]}.")


def _require_plausible(path: Path, num_bytes: int) -> None:
    """Refuse an array that would fill the memory from a small file."""
    size = path.stat().st_size
    if num_bytes > max(MOST_UNPACKED * size, ALWAYS_ALLOWED_BYTES):
        raise ValueError(f"an array of {num_bytes} bytes in a file of {size}")


def _read_npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    else:
        raise ValueError(f"format version {version}")
    if dtype.hasobject:
        raise ValueError("an array of Python objects, which is never unpickled")
    if any(length < 0 for length in shape):
        raise ValueError(f"the shape {shape}")
    return shape, dtype


def load_text(path: Place, name: str) -> np.ndarray:
    """An array of names (N,) as text; bytes, as HDF5 has them, are taken as UTF-8."""
    values = load_array(path, name).tolist()
    try:
        texts = [value.decode() if isinstance(value, bytes) else str(value) for value in values]
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: {name} must be text in UTF-8, got {error.object!r}. Write it as such."
        ) from error
    return np.array(texts, dtype=str)
