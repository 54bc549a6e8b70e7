"""How a check says that a plug-in breaks its contract."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class ContractBroken(AssertionError):
    """A plug-in does not do what every plug-in of its kind promises."""


def require(kept: object, message: str) -> None:
    """Raise ``ContractBroken`` with this message unless ``kept`` is true."""
    if not kept:
        raise ContractBroken(message)


def require_facts(plugin: Any, kind: str) -> None:
    """Refuse a plug-in whose name cannot stand in a list on the command line, or that does not say what it is."""
    name, about = getattr(plugin, "name", None), getattr(plugin, "about", None)
    require(
        isinstance(name, str) and name and not set(name) & set(", \t\n"),
        f"name of {kind} {plugin!r} must be a text without commas and spaces, got {name!r}.",
    )
    require(
        isinstance(about, str) and about.endswith(".") and "\n" not in about,
        f"about of {kind} {name!r} must be one sentence that ends in a full stop, got {about!r}.",
    )


def require_keyword_only(called: Callable[..., Any], said: str) -> None:
    """Refuse a constructor or function that takes anything by position."""
    by_position = [
        parameter.name
        for parameter in inspect.signature(called).parameters.values()
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
    ]
    require(
        not by_position,
        f"parameters of {said} must be given by keyword only, got {', '.join(by_position)} by position. "
        "Write a * before them, or kw_only=True for a dataclass.",
    )
