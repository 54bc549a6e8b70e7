"""Writing frames as a video file that plays in a browser, under its name only when complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.container import OutputContainer
from av.video.stream import VideoStream

from latentveil.video.frames import Frame
from latentveil.video.sound import Sound

# The best one that this build of the codecs has, with its settings for high quality. No macroblock tree: x264's AVX-512
# code for it reads memory that it never wrote where a row is not of a multiple of 8 blocks (128 pixels), and the
# same frames gave other bytes.
CODECS = {"libx264": {"crf": "18", "preset": "veryfast", "mbtree": "0"}, "mpeg4": {"qscale": "3"}}
USUAL_CLOCK = Fraction(1, 90_000)  # of which every usual frame rate is a multiple, 30000/1001 included
KEYFRAME_INTERVAL = 12
# How RGB becomes the numbers of the encoder, as H.273 counts: 16 to 235, the matrix of BT.601. Where a file does not
# say so, players take what is large for BT.709, and its colours shift.
COLOURS = {"color_range": 1, "colorspace": 6, "color_primaries": 1, "color_trc": 1}


def write_video(
    path: str | Path,
    frames: Iterable[np.ndarray],
    *,
    fps: float | Fraction = 30,
    keyframe_interval: int = KEYFRAME_INTERVAL,
) -> None:
    """Write RGB frames (H, W, 3) uint8 of one size, both sides even, as mp4; under its name only when complete."""
    with _whole_file(Path(path)) as container:
        stream = _video_stream(
            container, Fraction(fps).limit_denominator(1000), keyframe_interval=keyframe_interval
        )
        for number, frame in enumerate(frames):
            if number == 0:
                stream.height, stream.width = frame.shape[:2]
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def write_timed_video(
    path: str | Path,
    frames: Iterable[Frame],
    *,
    clock: Fraction | None = None,
    pixel_aspect: Fraction | None = None,
    sound: Sound | None = None,
) -> int:
    """Write frames as mp4, each at its own time, and return how many; no more of them is in memory than a few.

    Times are rounded to multiples of ``clock`` seconds; one that is not later than the one before is moved by as little
    as that allows. An odd side grows by one pixel, as H.264 wants.
    ``pixel_aspect`` is the width of a pixel by its height. Nothing is written besides pictures, times and the
    ``sound``, where one is given.
    """
    count = 0
    with _whole_file(Path(path), options={"movflags": "+faststart", "fflags": "+bitexact"}) as container:
        stream = _video_stream(container, Fraction(30), keyframe_interval=KEYFRAME_INTERVAL)
        clock = clock or USUAL_CLOCK
        stream.codec_context.time_base = clock
        for name, number in COLOURS.items():
            setattr(stream.codec_context, name, number)
        tracks = sound.join(container) if sound is not None else None
        shown: dict[
            int, int
        ] = {}  # how long each picture is shown, until its packet comes out of the encoder
        last = -1
        for count, frame in enumerate(frames, start=1):
            rgb = _even(frame.rgb)
            if count == 1:
                stream.height, stream.width = rgb.shape[:2]
                if pixel_aspect is not None:
                    stream.codec_context.sample_aspect_ratio = pixel_aspect
            picture = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            last = max(round(frame.time / clock), last + 1)
            picture.pts, picture.time_base = last, clock
            shown[last] = round(frame.seconds / clock)
            _mux(container, stream.encode(picture), shown)
            if tracks is not None:
                tracks.write_until(frame.time)
        _mux(container, stream.encode(), shown)
        if tracks is not None:
            tracks.write_until(None)
    return count


def _mux(container: OutputContainer, packets: Iterable[av.Packet], shown: dict[int, int]) -> None:
    """Write packets, each with the time that its picture is shown."""
    for packet in packets:
        duration = shown.pop(packet.pts, 0) if packet.pts is not None else 0
        if duration:
            packet.duration = duration
        container.mux(packet)


@contextmanager
def _whole_file(path: Path, *, options: dict[str, str] | None = None) -> Iterator[OutputContainer]:
    """An mp4 file that is open for writing, and has its name only when it is complete."""
    partial = path.with_name(f"{path.stem}.part")
    try:
        # FFmpeg takes a relative path with a colon for a URL.
        with av.open(str(partial.absolute()), "w", format="mp4", options=options or {}) as container:
            yield container
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    partial.rename(path)


def _video_stream(container: OutputContainer, rate: Fraction, *, keyframe_interval: int) -> VideoStream:
    codec = next(name for name in CODECS if name in av.codecs_available)
    stream = cast(VideoStream, container.add_stream(codec, rate=rate, options=CODECS[codec]))
    stream.pix_fmt = "yuv420p"
    stream.gop_size = keyframe_interval
    stream.codec_context.thread_count = 1
    return stream


def _even(rgb: np.ndarray) -> np.ndarray:
    """A picture (H, W, 3) with even sides: the last row or column is repeated where a side is odd."""
    height, width = rgb.shape[:2]
    return np.ascontiguousarray(np.pad(rgb, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge"))
