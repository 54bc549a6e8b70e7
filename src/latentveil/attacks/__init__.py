"""Models that try to recover a secret from features; none of them may import methods. A file here is an attack."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from latentveil.errors import InputError

if TYPE_CHECKING:
    from latentveil.attacks.base import Attack


def load_attacks(names: str | Sequence[str | Attack] = "all") -> list[Attack]:
    """The attacks of the given names, or "all" of this folder in alphabetical order; attacks stay as they are."""
    known = _known_attacks()
    if names == "all":
        return [known[name]() for name in sorted(known)]
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if isinstance(name, str) and name not in known:
            raise InputError(f"attacks must be among {', '.join(sorted(known))}, got {name!r}.")
    if not chosen:
        raise InputError("attacks must name at least one attack, got none.")
    return [known[name]() if isinstance(name, str) else name for name in chosen]


@cache
def _known_attacks() -> dict[str, type[Attack]]:
    """The attack classes of this folder by name: a file that defines one is named like it."""
    from latentveil.attacks.base import Attack

    found = {}
    for path in Path(__file__).parent.glob("[a-z]*.py"):
        module = import_module(f"latentveil.attacks.{path.stem}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            own = member.__module__ == module.__name__
            if own and issubclass(member, Attack) and not inspect.isabstract(member):
                assert member.name == path.stem, f"attack {member.name!r} must live in {member.name}.py"
                found[member.name] = member
    return found
