"""In what two records differ, told field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_TOLD = 6


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """The fields that differ with both values, as "size is 32 there, got 48"; empty where none does.

    Fields of a record within are called ``outer.inner``. Of very many the first are told.
    """
    before, now = flatten(there), flatten(here)
    differing = [name for name in sorted(before | now) if before.get(name) != now.get(name)]
    told = [f"{name} is {before.get(name)!r} there, got {now.get(name)!r}" for name in differing[:MOST_TOLD]]
    rest = len(differing) - len(told)
    return "; ".join([*told, *([f"and {rest} more"] if rest else [])])


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of a record and of those within it: {"a": {"b": 1}} becomes {"a.b": 1}."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
