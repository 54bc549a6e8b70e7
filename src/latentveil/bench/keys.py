"""The names of readings in the results of the bench."""

from __future__ import annotations

from latentveil.types import STATIC


def secret_key(secret: str, kind: str) -> str:
    """A secret's own name for temporal clips, with ``_static`` for stills, as results files have it since the first."""
    return f"{secret}_static" if kind == STATIC else secret
