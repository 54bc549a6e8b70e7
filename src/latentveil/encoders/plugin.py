"""What is known of an encoder before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from latentveil.encoders.base import Encoder


class LoadEncoder(Protocol):
    """Builds the encoder for frames of ``size`` pixels a side, its own size where None, with these ``weights``."""

    def __call__(self, *, size: int | None, weights: str | None) -> Encoder: ...


@dataclass(frozen=True, kw_only=True)
class EncoderPlugin:
    """An encoder that can be asked for: its name, what it is in one sentence, and how it is loaded."""

    name: str
    about: str
    load: LoadEncoder
