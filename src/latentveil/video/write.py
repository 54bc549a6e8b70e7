"""Writing frames as a video file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.video.stream import VideoStream

# The best one that this build of the codecs has, with its settings for high quality.
CODECS = {"libx264": {"crf": "18", "preset": "veryfast"}, "mpeg4": {"qscale": "3"}}


def write_video(
    path: str | Path, frames: Iterable[np.ndarray], *, fps: float | Fraction = 30, keyframe_interval: int = 12
) -> None:
    """Write RGB frames (H, W, 3) uint8 of one size, both sides even, as mp4; under its name only when complete."""
    codec = next(name for name in CODECS if name in av.codecs_available)
    partial = Path(path).with_suffix(".part")
    with av.open(str(partial), "w", format="mp4") as container:
        rate = Fraction(fps).limit_denominator(1000)
        stream = cast(VideoStream, container.add_stream(codec, rate=rate, options=CODECS[codec]))
        stream.pix_fmt = "yuv420p"
        stream.gop_size = keyframe_interval
        stream.codec_context.thread_count = 1
        for number, frame in enumerate(frames):
            if number == 0:
                stream.height, stream.width = frame.shape[:2]
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    partial.rename(path)
