"""Notices: what a user should know and what does not stop the work, told of the line that the user wrote."""

from __future__ import annotations

import sys
import warnings

from latentveil.errors import Notice

OURS = __name__.partition(".")[0]


def notify(message: str) -> None:
    """Warn with a sentence, as of the nearest line that is none of ours: our own lines tell users nothing."""
    frame, depth = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == OURS:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, Notice, stacklevel=depth)
