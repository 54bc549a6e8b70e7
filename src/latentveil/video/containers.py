"""Which files are opened as videos: containers that hold frames themselves, of a size that memory can take."""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import av

from latentveil.errors import InputError
from latentveil.video.decoding import Effort

# FFmpeg's names of containers that hold video. Left out is all that names other files or addresses (concat, hls,
# dash, image sequences), runs scripts or makes up pictures of its own.
CONTAINERS = (
    "3g2", "3gp", "asf", "avi", "flv", "gif", "ivf", "m4a", "matroska", "mj2", "mov", "mp4", "mpeg", "mpegts",
    "mpegvideo", "mxf", "nut", "ogg", "webm", "yuv4mpegpipe",
)  # fmt: skip
_OPTIONS = {"format_whitelist": ",".join(CONTAINERS), "protocol_whitelist": "file"}
# The boxes of an MP4 or QuickTime file on the way to the clock of a track.
_TO_CLOCK = (b"moov", b"trak", b"mdia")
_CLOCK = b"mdhd"


def open_container(path: Path) -> av.container.InputContainer:
    """The container at ``path``, which FFmpeg may not leave for another file."""
    try:
        _require_clocks(path)
        # FFmpeg takes a relative path with a colon for a URL.
        return av.open(str(path.absolute()), metadata_errors="replace", options=_OPTIONS)
    except (av.FFmpegError, OSError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        if error.errno == errno.EINVAL:  # what FFmpeg says of a format that is not in the list
            reason = "a format that holds no frames of its own, such as a list or a sound"
        raise InputError(f"{path} must be a video file, got: {reason}.") from error


def limit_pixels(stream: av.VideoStream, effort: Effort) -> None:
    """Refuse frames that are too large, those that a file announces and those that come later."""
    context = stream.codec_context
    effort.require_pixels(context.width, context.height)
    context.options = {**context.options, "max_pixels": str(effort.decoding.pixels)}


def _require_clocks(path: Path) -> None:
    """Refuse an MP4 file with a track whose clock stands still: FFmpeg would make up another rate."""
    with open(path, "rb") as file:
        if file.read(8)[4:] not in (b"ftyp", b"moov", b"mdat", b"wide", b"free"):
            return
        for clock in _clocks(file, start=0, end=path.stat().st_size, names=_TO_CLOCK):
            if clock == 0:
                raise InputError(f"{path} must have a clock that ticks, got a timescale of 0.")


def _clocks(file: IO[bytes], *, start: int, end: int, names: tuple[bytes, ...]) -> Iterator[int]:
    """The ticks per second of every track between two places of the file."""
    while start + 8 <= end:
        file.seek(start)
        size, name = struct.unpack(">I4s", file.read(8).ljust(8, b"\0"))
        header = 8
        if size == 1:  # a 64-bit size follows
            size, header = struct.unpack(">Q", file.read(8).ljust(8, b"\0"))[0], 16
        size = end - start if size == 0 else size
        if size < header:
            return
        if names and name == names[0]:
            yield from _clocks(file, start=start + header, end=min(start + size, end), names=names[1:])
        elif not names and name == _CLOCK:
            content = file.read(24)
            place = 20 if content[:1] == b"\1" else 12  # version 1 has 64-bit times
            if len(content) >= place + 4:
                yield struct.unpack_from(">I", content, place)[0]
        start += size
