"""Names that a caller gives: several, or a single one as a text."""

from __future__ import annotations

from collections.abc import Sequence


def as_names(names: str | Sequence[str]) -> list[str]:
    """The names as a list; a text is one name, not a sequence of letters."""
    return [names] if isinstance(names, str) else list(names)
