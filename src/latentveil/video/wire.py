"""What a decoder in a sandbox says: frames, numbers and sentences, as plain bytes of bounded size, never as objects."""

from __future__ import annotations

import math
import os
import select
import struct
import time
from fractions import Fraction

import numpy as np

from latentveil.video.frames import Frame

_FRAME, _NUMBER, _SENTENCE, _END = b"F", b"N", b"S", b"E"
_FRAME_FACTS = struct.Struct("<qddII")  # index, time, seconds, height, width
_NUMBER_FACTS = struct.Struct("<qq")  # over and under the line; 0 under it for no number
_SENTENCE_FACTS = struct.Struct("<I")  # bytes
MAX_SENTENCE_BYTES = 4000
NO_NUMBER = Fraction(-1)  # where a file does not say; what it may say is never negative


class BrokenOffError(Exception):
    """The decoder ended, or said something that makes no sense, before it was through."""


class TooSlowError(Exception):
    """The decoder was silent for too long."""


class Sentence(str):
    """Why a file cannot be decoded."""


class Teller:
    """The decoder's side of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def frame(self, frame: Frame) -> None:
        height, width, _ = frame.rgb.shape
        self._write(_FRAME + _FRAME_FACTS.pack(frame.index, frame.time, frame.seconds, height, width))
        self._write(np.ascontiguousarray(frame.rgb).reshape(-1).data)

    def number(self, number: Fraction | int | None) -> None:
        over, under = (0, 0) if number is None else Fraction(number).as_integer_ratio()
        self._write(_NUMBER + _NUMBER_FACTS.pack(over, under))

    def sentence(self, text: str) -> None:
        content = text.encode(errors="backslashreplace")[:MAX_SENTENCE_BYTES]
        self._write(_SENTENCE + _SENTENCE_FACTS.pack(len(content)) + content)

    def end(self) -> None:
        self._write(_END)

    def _write(self, content: bytes | memoryview) -> None:
        left = memoryview(content)
        while left:
            left = left[os.write(self.descriptor, left) :]


class Listener:
    """The other side, which trusts nothing that it is told; all waiting together takes at most ``seconds``."""

    def __init__(self, descriptor: int, *, seconds: float, max_pixels: int) -> None:
        self.descriptor = descriptor
        self.seconds_left = seconds
        self.max_pixels = max_pixels
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def next(self) -> Frame | Fraction | Sentence | None:
        """What comes next: a frame, a number (`NO_NUMBER` where there is none), a sentence, or None at the end."""
        kind = bytes(self._read(1))
        if kind == _FRAME:
            return self._frame()
        if kind == _NUMBER:
            return self._number()
        if kind == _SENTENCE:
            (size,) = _SENTENCE_FACTS.unpack(self._read(_SENTENCE_FACTS.size))
            if size > MAX_SENTENCE_BYTES:
                raise BrokenOffError
            text = bytes(self._read(size)).decode(errors="replace")
            return Sentence("".join(sign if sign.isprintable() else " " for sign in text))
        if kind == _END:
            return None
        raise BrokenOffError

    def _frame(self) -> Frame:
        index, shown_at, seconds, height, width = _FRAME_FACTS.unpack(self._read(_FRAME_FACTS.size))
        if not 0 < height * width <= self.max_pixels or not (
            math.isfinite(shown_at) and math.isfinite(seconds)
        ):
            raise BrokenOffError
        rgb = np.empty((height, width, 3), dtype=np.uint8)
        self._read_into(rgb.reshape(-1).data)
        return Frame(index, shown_at, rgb, seconds)

    def _number(self) -> Fraction:
        over, under = _NUMBER_FACTS.unpack(self._read(_NUMBER_FACTS.size))
        return Fraction(over, under) if under else NO_NUMBER

    def _read(self, size: int) -> bytearray:
        content = bytearray(size)
        self._read_into(memoryview(content))
        return content

    def _read_into(self, place: memoryview) -> None:
        while place:
            started = time.monotonic()
            ready = self._poll.poll(max(0.0, self.seconds_left) * 1000)
            self.seconds_left -= time.monotonic() - started
            if not ready:
                raise TooSlowError
            size = os.readv(self.descriptor, [place])
            if not size:
                raise BrokenOffError
            place = place[size:]
