"""What computes an encoder's network: one file here is one backend."""

from __future__ import annotations

from latentveil.encoders.backends.base import Backend
from latentveil.plugins import Kind

__all__ = ["BACKENDS", "Backend"]

BACKENDS = Kind("backend", "latentveil.encoders.backends", Backend)
