"""Names for values: the same values have the same checksum, in any process."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

SHORT = 12  # hexadecimal digits that people are shown


def checksum(*values: object) -> str:
    """A name for values: arrays, text, numbers, and lists, dictionaries and dataclasses of them."""
    total = hashlib.blake2b(digest_size=20)
    _add(total, values)
    return total.hexdigest()


def short_checksum(value: object) -> str | None:
    """The same for people to compare; None for None."""
    return None if value is None else f"checksum {checksum(value)[:SHORT]}"


def _add(total: Any, value: object) -> None:
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        _add(total, value.tolist())
    elif isinstance(value, np.ndarray):
        total.update(f"{value.dtype.str} {value.shape};".encode())
        total.update(np.ascontiguousarray(value).view(np.uint8).data if value.size else b"")
    elif isinstance(value, dict):
        _add(total, list(value.items()))
    elif isinstance(value, list | tuple):
        total.update(f"{type(value).__name__} {len(value)};".encode())
        for part in value:
            _add(total, part)
    elif is_dataclass(value):
        total.update(f"{type(value).__name__};".encode())
        for field in fields(value):
            if field.init:
                _add(total, getattr(value, field.name))
    else:
        text = repr(value).encode()
        total.update(f"{type(value).__name__} {len(text)};".encode() + text)
