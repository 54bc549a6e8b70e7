"""The sound of a video file, copied beside new pictures as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
from av.container import OutputContainer

from latentveil.errors import InputError

# What an mp4 file may hold and a browser may play.
CODECS = frozenset({"aac", "mp3", "opus", "flac", "ac3", "eac3", "alac"})


class Sound:
    """The first sound track of the file at ``path``."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def join(self, container: OutputContainer) -> SoundTrack | None:
        """A track for the sound in ``container``, whose packets follow; None for a silent file."""
        source = av.open(str(self.path.absolute()), metadata_errors="replace")
        if not source.streams.audio:
            source.close()
            return None
        found = source.streams.audio[0]
        codec = found.codec_context.name.removesuffix("float") if found.codec_context else "an unknown one"
        if codec not in CODECS:
            source.close()
            raise InputError(
                f"sound of {self.path} must be one of {', '.join(sorted(CODECS))} to be copied into mp4, got "
                f"{codec}. Drop the sound, or encode it as aac first."
            )
        return SoundTrack(source, container)


class SoundTrack:
    """Copies the packets of a sound track, each about when the picture of its time is written."""

    def __init__(self, source: Any, container: OutputContainer) -> None:
        self._source, self._container = source, container
        found = source.streams.audio[0]
        self._stream = container.add_stream_from_template(found)
        self._stream.metadata.clear()
        video = source.streams.video[0]
        begins = (video.start_time or 0) * video.time_base
        self._shift = round(begins / found.time_base)
        self._packets = source.demux(found)
        self._waiting = next(self._packets, None)

    def write_until(self, time: float | None) -> None:
        """Write the packets up to ``time`` seconds after the first picture; None: all of them, and close the file."""
        while self._waiting is not None:
            packet = self._waiting
            if packet.dts is not None:
                if time is not None and (packet.dts - self._shift) * packet.time_base > time:
                    return
                packet.pts, packet.dts = packet.pts - self._shift, packet.dts - self._shift
                packet.stream = self._stream
                self._container.mux(packet)
            self._waiting = next(self._packets, None)
        if time is None:
            self._source.close()
