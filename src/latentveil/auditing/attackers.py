"""The attacks of an audit."""

from __future__ import annotations

from collections.abc import Sequence

from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack
from latentveil.errors import InputError


def load_different(attacks: str | Sequence[str | Attack]) -> list[Attack]:
    """The attacks of the given names; no two may share one, because results are kept by it."""
    loaded = load_attacks(attacks)
    names = [attack.name for attack in loaded]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"attacks must have different names, got {', '.join(map(repr, twice))} more than once. Name each once."
        )
    return loaded
