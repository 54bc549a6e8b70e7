"""What is known of a backend before it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latentveil.encoders.base import Encoder


@dataclass(frozen=True, kw_only=True)
class Backend:
    """A way to run encoders: ``run`` gives the same encoder, computed otherwise.

    ``devices`` are those it can use, any that torch has where empty.
    """

    name: str
    about: str
    run: Callable[[Encoder], Encoder]
    devices: tuple[str, ...] = ()
