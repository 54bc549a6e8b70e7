"""How a bench cuts data and what it measures: one file here is one protocol."""

from __future__ import annotations

from latentveil.bench.protocols.base import Arena, BenchProtocol
from latentveil.plugins import Kind

PROTOCOLS: Kind[BenchProtocol] = Kind("protocol", "latentveil.bench.protocols", BenchProtocol)  # type: ignore[type-abstract]

__all__ = ["PROTOCOLS", "Arena", "BenchProtocol"]
