"""How files from outside are decoded: how much one of them may take of a machine, and in which process."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from latentveil.errors import InputError, UsageError
from latentveil.names import did_you_mean

MAX_PIXELS = 1 << 26  # 200 MB as RGB
MAX_FRAMES = 2_000_000  # 18 hours at 30 frames a second
MAX_SECONDS = 4 * 3600.0
MAX_MEGABYTES = 4096


@dataclass(frozen=True)
class Decoding:
    """The most that one file may take: ``pixels`` of a frame, its ``frames``, ``seconds`` of decoding.

    With ``sandbox`` it is decoded in a child process, which may also take no more than ``memory_megabytes``.
    """

    pixels: int = MAX_PIXELS
    frames: int = MAX_FRAMES
    seconds: float = MAX_SECONDS
    memory_megabytes: int = MAX_MEGABYTES
    sandbox: bool = False

    def __post_init__(self) -> None:
        for name in limit_names():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise UsageError(f"decoding limit {name} must be a number above 0, got {value!r}.")

    @classmethod
    def of(cls, limits: Mapping[str, float] | None, *, sandbox: bool) -> Decoding:
        """The usual limits but for those that are named."""
        unknown = [name for name in limits or {} if name not in limit_names()]
        if unknown:
            raise UsageError(
                f"decoding limits must be among {', '.join(limit_names())}, got {unknown[0]!r}."
                + did_you_mean(unknown[0], limit_names())
            )
        return cls(**{name: limits[name] for name in limits or {}}, sandbox=sandbox)  # type: ignore[arg-type, index]


def limit_names() -> tuple[str, ...]:
    """The limits by name, as options of commands spell them."""
    return tuple(field.name for field in fields(Decoding) if field.name != "sandbox")


USUAL = Decoding()


class Effort:
    """What decoding one file has taken so far; refuses the file once that is too much."""

    def __init__(self, path: Path, decoding: Decoding) -> None:
        self.path = path
        self.decoding = decoding
        self.seconds = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """A moment of work on the file; what others do with its frames in between does not count."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started
        if self.seconds > self.decoding.seconds:
            raise too_slow(self.path, self.decoding)

    def require_frames(self, num_frames: int) -> None:
        if num_frames > self.decoding.frames:
            raise InputError(
                f"{self.path} must have at most {self.decoding.frames} frames, got more. Cut it into parts, or raise "
                "the decoding limit frames."
            )

    def require_pixels(self, width: int, height: int) -> None:
        if width * height > self.decoding.pixels:
            raise InputError(
                f"{self.path} must have frames of at most {self.decoding.pixels} pixels, got {width} x {height}. "
                "Make it smaller, or raise the decoding limit pixels."
            )


def too_slow(path: Path, decoding: Decoding) -> InputError:
    return InputError(
        f"{path} must be decoded within {decoding.seconds:g} s, got a file that takes longer. Leave it out, or raise "
        "the decoding limit seconds."
    )
