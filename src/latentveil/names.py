"""Names that a caller gives: several, a single one as a text, or one that nothing has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def as_names(names: str | Sequence[str]) -> list[str]:
    """The names as a list; a text is one name, not a sequence of letters."""
    return [names] if isinstance(names, str) else list(names)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question, behind a blank, for the ``known`` name that is nearest to an unknown one; empty where none is near.

    Capitals make no difference, and the part behind the last dot is enough: ``epochs`` is near ``train.epochs``.
    """
    of_key: dict[str, str] = {}
    for full in known:
        for key in (full, full.rpartition(".")[2]):
            of_key.setdefault(key.casefold(), full)
    near = get_close_matches(name.casefold(), of_key, n=1)
    return f" Did you mean {of_key[near[0]]!r}?" if near else ""
