"""Label files that their authors pickled, read so that they can bring arrays, text and numbers, and nothing else.

Nothing of numpy's own is called on what such a file says: its arrays are taken as bytes, and made here.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import InputError


def read_label_pickle(path: str | Path) -> dict[str, np.ndarray]:
    """The numbers (C,) of each name in a pickle that is {name: array}; a pickle with anything else is refused."""
    try:
        with open(path, "rb") as file:
            found = _ArraysOnly(file, encoding="latin1").load()
        if not isinstance(found, dict):
            raise InputError(f"a label pickle must be a dict, got {type(found).__name__}.")
        return {_name(key): _numbers(value) for key, value in found.items()}
    except OSError:
        raise
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except Exception as error:  # a pickle that is cut or made up fails in many ways
        raise InputError(
            f"{path} must be a pickle of arrays, got {type(error).__name__}: {error}."
        ) from error


class _DType:
    """What a pickle says of an array's numbers."""

    def __init__(self, spec: Any, *_: Any) -> None:
        if not isinstance(spec, str) or spec[:1] not in "biuf" or not spec[1:].isdecimal():
            raise InputError(f"a label pickle must hold arrays of numbers, got {spec!r}.")
        self.dtype = np.dtype(spec)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[1] in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(state[1])


class _Array:
    """What a pickle says of an array."""

    def __init__(self, *_: Any) -> None:
        self.numbers = np.empty(0)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, _, content = state
        self.numbers = _from_bytes(content, dtype, int(np.prod(shape)))


def _from_bytes(content: Any, dtype: Any, size: int) -> np.ndarray:
    raw = content.encode("latin1") if isinstance(content, str) else bytes(content)
    if not isinstance(dtype, _DType) or len(raw) != size * dtype.dtype.itemsize:
        raise InputError(
            f"a label pickle must hold whole arrays of numbers, got {len(raw)} bytes for {size}."
        )
    return np.frombuffer(raw, dtype=dtype.dtype)


def _from_buffer(content: Any, dtype: Any, shape: Any, _order: str) -> np.ndarray:
    return _from_bytes(content, dtype, int(np.prod(shape)))


def _scalar(dtype: Any, content: Any) -> np.ndarray:
    return _from_bytes(content, dtype, 1)


def _encode(text: str, encoding: str) -> bytes:
    """How old pickles write bytes."""
    if encoding != "latin1":
        raise InputError(f"a label pickle must write bytes as latin1, got {encoding!r}.")
    return text.encode("latin1")


def _ndarray(*_: Any) -> Any:
    raise InputError("a label pickle must make arrays as numpy does, got a call of ndarray.")


ADMITTED: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): _ndarray,  # named as the kind of array to make, never called
    ("numpy", "dtype"): _DType,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy.core.numeric", "_frombuffer"): _from_buffer,
    ("_codecs", "encode"): _encode,
}


class _ArraysOnly(pickle.Unpickler):
    """An unpickler that can call nothing but what takes the bytes of an array."""

    def find_class(self, module: str, name: str) -> Any:
        place = (module.replace("numpy._core", "numpy.core"), name)
        if place not in ADMITTED:
            raise InputError(f"a label pickle must hold arrays, text and numbers only, got {module}.{name}.")
        return ADMITTED[place]


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise InputError(f"a label pickle must have text as keys, got {key!r}.")
    return key


def _numbers(value: Any) -> np.ndarray:
    if isinstance(value, _Array):
        return value.numbers
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (int, float)):
        return np.array([value])
    raise InputError(f"a label pickle must have an array for each name, got {type(value).__name__}.")
