"""Frames from a decoder in a sandbox: a crash, a hang or a bomb in it costs one file, with a sentence, and no more."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from latentveil.errors import InputError
from latentveil.notices import notify
from latentveil.video.decoder_process import DecoderProcess
from latentveil.video.decoding import Decoding, too_slow
from latentveil.video.frames import IMAGE_EXTENSIONS, Frame, FrameSource
from latentveil.video.wire import NO_NUMBER, BrokenOffError, Listener, Sentence, TooSlowError

GRACE_SECONDS = 5.0  # a decoder that is still alive finds itself too slow


class SandboxedFile(FrameSource):
    """A video or an image whose frames another process decodes; each pass over it has a new one."""

    def __init__(self, path: str | Path, *, threads: int, decoding: Decoding) -> None:
        super().__init__(path)
        self.threads = threads
        self.decoding = decoding
        self.is_image = self.path.suffix.lower() in IMAGE_EXTENSIONS

    @cached_property
    def num_frames(self) -> int:  # type: ignore[override]
        return int(self._number("num_frames") or 0)

    @property
    def pixel_aspect(self) -> Fraction | None:
        return self._number("pixel_aspect")

    @property
    def clock(self) -> Fraction | None:
        return self._number("clock")

    def frames(self) -> Iterator[Frame]:
        return self._frames(None)

    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        return self._frames([int(index) for index in indices])

    def _frames(self, indices: list[int] | None) -> Iterator[Frame]:
        for answer in self._ask("frames", indices):
            if not isinstance(answer, Frame):
                raise self._odd()
            yield answer

    def _number(self, what: str) -> Fraction | None:
        answers = list(self._ask(what, None))
        if len(answers) != 1 or not isinstance(answers[0], Fraction):
            raise self._odd()
        return None if answers[0] == NO_NUMBER else answers[0]

    def _ask(self, what: str, indices: list[int] | None) -> Iterator[Frame | Fraction]:
        """The answers to one request, from a process that is ended if they are not wanted to the end."""
        decoder = DecoderProcess.idle()
        answers = -1
        try:
            answers = decoder.ask(
                {
                    "path": str(self.path.absolute()),
                    "threads": self.threads,
                    "decoding": asdict(replace(self.decoding, sandbox=False)),
                    "what": what,
                    "indices": indices,
                }
            )
            seconds = self.decoding.seconds + GRACE_SECONDS
            listener = Listener(answers, seconds=seconds, max_pixels=self.decoding.pixels)
            while (answer := listener.next()) is not None:
                if isinstance(answer, Sentence):
                    raise InputError(answer.replace(str(self.path.absolute()), str(self.path)))
                yield answer
        except TooSlowError as error:
            decoder.end()
            raise too_slow(self.path, self.decoding) from error
        except (BrokenOffError, BrokenPipeError, ConnectionResetError) as error:
            raise self._crashed(decoder.finish()) from error
        finally:
            if answers >= 0:
                os.close(answers)  # a decoder that is still at work ends, for nobody listens
            decoder.finish()

    def _crashed(self, status: int | None) -> InputError:
        if status is not None and -status == signal.SIGXCPU:
            return too_slow(self.path, self.decoding)
        try:
            how = "an unknown end" if status is None else signal.Signals(-status).name
        except ValueError:
            how = f"exit status {status}"
        return InputError(
            f"{self.path} must be a file that the decoder survives, got one that ended its process ({how}). "
            "Leave it out."
        )

    def _odd(self) -> InputError:
        return InputError(f"{self.path} must give frames, got other answers of its decoder. Leave it out.")


def require_sandbox() -> None:
    """Refuse, before any work, a system where no sandbox can be; say what one there cannot prevent."""
    decoder = DecoderProcess.idle()
    decoder.keep()
    words = {"network": "use the network", "files": "read, create or delete files"}
    gaps = [words[name] for name, is_held in decoder.held.items() if not is_held]
    if gaps:
        notify(
            f"The sandbox has gaps on this system: a decoder that is taken over could {' and '.join(gaps)}."
        )
