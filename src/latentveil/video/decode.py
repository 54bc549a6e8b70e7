"""Decoding: the frames of a video file as RGB arrays, streamed in the order they are shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import av
from av.stream import Disposition

from latentveil.errors import InputError
from latentveil.files.places import require_no_folder
from latentveil.files.regular_files import require_regular_file
from latentveil.video.containers import limit_pixels, open_container
from latentveil.video.convert import FrameConverter
from latentveil.video.decoding import USUAL, Decoding, Effort
from latentveil.video.frames import IMAGE_EXTENSIONS, Frame, FrameSource, ImageFile
from latentveil.video.index import PacketIndex
from latentveil.video.sandbox import SandboxedFile

# A file that decodes to less than this share of what it announces is refused: its features would pass for the whole.
MIN_DECODED_SHARE = 0.9
# More decoding threads hold more frames in memory and hardly decode faster.
MAX_THREADS = 8


def open_video(path: str | Path, *, threads: int = 1, decoding: Decoding = USUAL) -> FrameSource:
    """The frames of a file: a still image by its extension, everything else as a video; see `Decoding` for limits."""
    path = Path(path)
    require_no_folder(path)
    require_regular_file(path, what="a video or image file")
    if not path.is_file():
        found = "a link to nothing" if path.is_symlink() else "nothing there"
        raise InputError(f"{path} must be a video or image file, got {found}.")
    threads = min(threads, MAX_THREADS)
    if decoding.sandbox:
        return SandboxedFile(path, threads=threads, decoding=decoding)
    if path.suffix.lower() in IMAGE_EXTENSIONS:
        return ImageFile(path, decoding=decoding)
    return VideoFile(path, threads=threads, decoding=decoding)


class VideoFile(FrameSource):
    """A video file: the first video stream that is no cover picture, decoded by FFmpeg.

    Frames come out upright (display matrix) and in one size, that of the first. Packets that the decoder refuses are
    skipped; a file where more than a tenth is refused or missing raises `InputError`.
    """

    def __init__(self, path: str | Path, *, threads: int = 1, decoding: Decoding = USUAL) -> None:
        super().__init__(path)
        self.threads = threads
        self.effort = Effort(self.path, decoding)

    @property
    def num_frames(self) -> int:
        return self._index.num_frames

    @property
    def pixel_aspect(self) -> Fraction | None:
        with self._opened() as (container, stream):
            aspect = stream.sample_aspect_ratio
            turned = next((round(frame.rotation / 90) % 2 for frame in container.decode(stream)), 0)
        if not aspect or aspect == 1:
            return None
        return 1 / aspect if turned else aspect

    @property
    def clock(self) -> Fraction | None:
        with self._opened() as (_, stream):
            return stream.time_base

    def frames(self) -> Iterator[Frame]:
        with self._opened() as (container, stream):
            convert = FrameConverter(stream, self.effort)
            for index, frame in enumerate(self._decode_all(container, stream)):
                yield convert(index, frame)

    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        """The frames with the given increasing numbers; numbers past the last decodable frame give that frame again.

        Jumps from keyframe to keyframe if that saves at least half of the decoding, else reads from the start.
        """
        found = 0
        if self._index.seeking_pays(indices):
            for frame in self._seek_frames(indices):
                yield frame
                found += 1
        if found < len(indices):
            yield from self._scan_frames(indices[found:])

    @cached_property
    def _index(self) -> PacketIndex:
        with self._opened() as (container, stream):
            packets, end = [], 0
            for packet in self._demux(container, stream):
                if packet.size and not packet.is_discard:
                    packets.append((packet.pts, packet.dts, packet.is_keyframe))
                    self.effort.require_frames(len(packets))
                    end = max(end, _end_ticks(packet, stream))
            index = PacketIndex(packets)
            if index.pts and index.can_seek:
                self._require_complete(container, stream, ticks=end - index.pts[0])
        return index

    @contextmanager
    def _opened(self) -> Iterator[tuple[av.container.InputContainer, av.VideoStream]]:
        with open_container(self.path) as container:
            streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
            if not streams:
                raise InputError(f"{self.path} must hold a video stream, got none.")
            stream = streams[0]
            if stream.codec_context is None:
                raise InputError(
                    f"{self.path} must use a video codec that FFmpeg can decode, got an unknown one."
                )
            limit_pixels(stream, self.effort)
            stream.thread_type = "AUTO"
            stream.codec_context.thread_count = self.threads
            yield container, stream

    def _decode_all(
        self, container: av.container.InputContainer, stream: av.VideoStream
    ) -> Iterator[av.VideoFrame]:
        """Every frame from the start; at the end, refuses a file that gave much less than it announced."""
        first = last = None
        packets = refused = num_frames = 0
        for packet in self._demux(container, stream):
            packets += 1
            try:
                with self.effort.counted():
                    decoded = packet.decode()
            except av.FFmpegError:
                refused += 1
                continue
            num_frames += len(decoded)
            self.effort.require_frames(num_frames)
            for frame in decoded:
                first, last = first or frame, frame
                yield frame
        if first is None or last is None:
            raise InputError(f"{self.path} must hold at least one frame, got none that can be decoded.")
        if refused > (1 - MIN_DECODED_SHARE) * packets:
            raise InputError(
                f"{self.path} must be undamaged, got {refused} of {packets} packets that cannot be decoded."
            )
        if first.pts is not None and last.pts is not None:
            self._require_complete(container, stream, ticks=_end_ticks(last, stream) - first.pts)

    def _require_complete(
        self, container: av.container.InputContainer, stream: av.VideoStream, *, ticks: int
    ) -> None:
        """Refuse a file that announces much more time than its frames fill, in ticks of the stream's clock."""
        announced = _announced_seconds(container, stream)
        if announced is None or stream.time_base is None:
            return
        got = float(ticks * stream.time_base)
        if got < MIN_DECODED_SHARE * announced:
            raise InputError(
                f"{self.path} must be complete, got {got:.2f} s of the {announced:.2f} s it announces. "
                "It seems truncated: copy or download it again."
            )

    def _demux(self, container: av.container.InputContainer, stream: av.VideoStream) -> Iterator[av.Packet]:
        """The stream's packets up to the end or to the point where the container breaks off."""
        packets = container.demux(stream)
        while True:
            try:
                with self.effort.counted():
                    packet = next(packets)
            except (StopIteration, av.FFmpegError):
                return
            yield packet

    def _decode_from_here(
        self, container: av.container.InputContainer, stream: av.VideoStream
    ) -> Iterator[av.VideoFrame]:
        for packet in self._demux(container, stream):
            try:
                with self.effort.counted():
                    decoded = packet.decode()
            except av.FFmpegError:
                return
            yield from decoded

    def _scan_frames(self, indices: Sequence[int]) -> Iterator[Frame]:
        """The wanted frames, reading from the start; only those are converted to RGB."""
        wanted = iter(indices)
        target = next(wanted, None)
        with self._opened() as (container, stream):
            convert = FrameConverter(stream, self.effort)
            for index, frame in enumerate(self._decode_all(container, stream)):
                if index == target:
                    yield convert(index, frame)
                    target = next(wanted, None)
                    if target is None:
                        return
                elif index == 0:
                    convert.start(frame)
            while target is not None:
                yield convert(target, frame)
                target = next(wanted, None)

    def _seek_frames(self, indices: Sequence[int]) -> Iterator[Frame]:
        """The wanted frames by jumping to the keyframe before each run; ends early where a jump misses its frame."""
        with self._opened() as (container, stream):
            convert = FrameConverter(stream, self.effort)
            convert.start_pts = self._index.pts[0]
            for run in self._index.runs(indices):
                container.seek(self._index.seek_target(run[0]), stream=stream)
                missing = deque(run)
                for frame in self._decode_from_here(container, stream):
                    if frame.pts is None or frame.pts > self._index.pts[missing[0]]:
                        return
                    if frame.pts == self._index.pts[missing[0]]:
                        yield convert(missing.popleft(), frame)
                    if not missing:
                        break
                if missing:
                    return


def _announced_seconds(container: av.container.InputContainer, stream: av.VideoStream) -> float | None:
    """How long the video should be; where only the container says, it counts only without other streams."""
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    if container.duration is not None and len(container.streams) == 1:
        return container.duration / av.time_base
    return None


def _end_ticks(shown: av.VideoFrame | av.Packet, stream: av.VideoStream) -> int:
    """When a frame, or the frame in a packet, makes way for the next one; at least one frame of the mean rate."""
    rate, clock = stream.average_rate, stream.time_base
    one_frame = round(1 / (rate * clock)) if rate and clock else 0
    return (shown.pts or 0) + max(shown.duration or 0, one_frame)
