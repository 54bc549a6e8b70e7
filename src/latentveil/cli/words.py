"""How the command line reads lists of words and of numbers."""

from __future__ import annotations

from latentveil.errors import UsageError


def names_in(text: str) -> list[str]:
    """The names in a text such as ``linear,lda``, each once, in order."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def numbers_in(text: str, *, option: str) -> dict[str, float]:
    """The numbers in a text such as ``seconds=60,frames=1000`` by name; whole ones as int."""
    found: dict[str, float] = {}
    for part in names_in(text):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = int(value) if value.strip().isdecimal() else float(value)
        except ValueError:
            raise UsageError(f"{option} must be of the form name=number,name=number, got {part!r}.") from None
    return found
