"""How the command line reads lists of words."""

from __future__ import annotations


def names_in(text: str) -> list[str]:
    """The names in a text such as ``linear,lda``, each once, in order."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
