"""PyTorch: the network as it was loaded."""

from __future__ import annotations

from latentveil.encoders.backends.base import Backend

backend = Backend(name="torch", about="PyTorch, on any device it has.", run=lambda encoder: encoder)
