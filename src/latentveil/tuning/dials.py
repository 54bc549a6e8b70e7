"""The settings that are tried: every combination of the values of some dials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from latentveil.arguments import argument
from latentveil.errors import UsageError
from latentveil.methods.base import Method

DialsLike = Mapping[str, Sequence[Any]] | Sequence[str]


def settings_to_try(method: Method, dials: DialsLike, *, with_motion: bool) -> list[dict[str, str]]:
    """Every combination, as {name of the setting: value as text}; without ``dials``, of those the method names."""
    named = as_dials(dials) or {
        name: [str(v) for v in values] for name, values in method.dials(with_motion).items()
    }
    if not named:
        raise UsageError(
            f"dials must be given for the method {method.name}, which names none itself, got none. "
            f"Add {argument('dials', ['section.name=value,value'])}."
        )
    return [dict(zip(named, values)) for values in product(*named.values())]


def as_dials(dials: DialsLike) -> dict[str, list[str]]:
    """{"erasure.noise": [0.3, 1]} or ["erasure.noise=0.3,1"] as names with the values to try, as texts."""
    if isinstance(dials, Mapping):
        found = {name: [str(value) for value in values] for name, values in dials.items()}
    else:
        parts = [dial.partition("=") for dial in dials]
        found = {
            name.strip(): [v.strip() for v in values.split(",") if v.strip()] for name, _, values in parts
        }
    for name, values in found.items():
        if not name or not values:
            raise UsageError(
                f"dials must be of the form section.name=value,value, got {name!r} without values."
            )
    return found
