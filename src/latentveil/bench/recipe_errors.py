"""What is wrong with a recipe, in one sentence that names the place as it stands in the file: `rows[2].preset`."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from latentveil.wrong_values import rule_in_words

TOML_WORDS = {
    "a valid string": "a string",
    "a valid tuple": "a list",
    "a valid dictionary or instance of Row": "a table [[rows]]",
}


def explain_invalid(error: ValidationError, values: dict[str, Any]) -> str:
    """The first thing that pydantic found in ``values``, as `<place> must be <rule>, got <value>.`"""
    first, *others = error.errors()
    place = _place(first["loc"], values)
    if first["type"] == "value_error":  # our own sentence
        return f"{first['msg'].removeprefix('Value error, ')}."
    if first["type"] == "missing":
        return f"{_text(first['loc'])} must be given, got nothing."
    if first["type"] == "extra_forbidden":
        return f"{_text(first['loc'])} must be a field that recipes have, got an unknown name. See docs/recipes.md."
    rules = [_rule(first), *(_rule(other) for other in others if _place(other["loc"], values) == place)]
    return f"{_text(place)} must be {' or '.join(rules)}, got {_value(place, values)!r}."


def _rule(error: ErrorDetails) -> str:
    """What the value should be, in words of TOML."""
    rule = error["msg"].removeprefix("Input should be ").partition(",")[0]
    return TOML_WORDS.get(rule) or rule_in_words(error["msg"])


def _place(parts: tuple[int | str, ...], values: Any) -> tuple[int | str, ...]:
    """The beginning of a path that is in the file; pydantic goes on with the names of types that it tried."""
    for depth, part in enumerate(parts):
        inside = isinstance(values, dict) and part in values
        if not inside and not (isinstance(values, list) and isinstance(part, int)):
            return parts[:depth]
        values = values[part]
    return parts


def _value(parts: tuple[int | str, ...], values: Any) -> Any:
    for part in parts:
        values = values[part]
    return values


def _text(parts: tuple[int | str, ...]) -> str:
    """A path as people write it: ``rows[2].preset``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")
