"""Frozen records of plain data that turn into JSON and back: what every result is made of."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from latentveil.errors import InputError


class Record:
    """A dataclass of plain values: ``from_dict`` reads what ``to_dict`` gave, and the two records are equal.

    Fields that do not count in comparisons (``compare=False``) are not part of either. JSON knows no NaN: a number
    that is not known is None there. Records with the same unknown numbers are equal.
    """

    def to_dict(self) -> dict[str, Any]:
        """For JSON: dictionaries, lists, text and finite numbers."""
        return _fields_to_plain(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """What ``to_dict`` gave; keys that are not known are left out, missing ones get their defaults."""
        return _from_plain(cls, values)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def _fields_to_plain(value: Any) -> dict[str, Any]:
    return {field.name: _to_plain(getattr(value, field.name)) for field in fields(value) if field.compare}


def _to_plain(value: Any) -> Any:
    if is_dataclass(value):
        return _fields_to_plain(value)
    if isinstance(value, dict):
        return {str(name): _to_plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _from_plain(wanted: Any, value: Any) -> Any:
    """``value`` from JSON as the type ``wanted``, one of those that records are made of."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):  # always with None here
        [known] = [kind for kind in inner if kind is not type(None)]
        return None if value is None else _from_plain(known, value)
    if origin is dict:
        return {name: _from_plain(inner[1], item) for name, item in _require(dict, value).items()}
    if origin is list:
        return [_from_plain(inner[0], item) for item in _require(list, value)]
    if origin is tuple:
        return tuple(_from_plain(inner[0], item) for item in _require(list, value))
    if is_dataclass(wanted):
        return _record_from_plain(wanted, _require(dict, value))
    if wanted is float:
        return math.nan if value is None else float(_require((int, float), value))
    return value if wanted is Any else _require(wanted, value)


def _record_from_plain(wanted: Any, values: dict[str, Any]) -> Any:
    hints = _hints(wanted)
    found = {}
    for field in fields(wanted):
        if field.compare and field.name in values:
            found[field.name] = _from_plain(hints[field.name], values[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InputError(
                f"{wanted.__name__} must have {field.name!r}, got {', '.join(values) or 'nothing'}."
            )
    return wanted(**found)


def _require(wanted: Any, value: Any) -> Any:
    if not isinstance(value, wanted):
        names = [kind.__name__ for kind in (wanted if isinstance(wanted, tuple) else (wanted,))]
        raise InputError(f"a result must be of type {' or '.join(names)} here, got {value!r}.")
    return value


_hints = cache(get_type_hints)
