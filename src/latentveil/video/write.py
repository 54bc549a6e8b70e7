"""Writing frames as a video file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def write_video(
    path: str | Path, frames: Iterable[np.ndarray], *, fps: int | Fraction = 30, keyframe_interval: int = 12
) -> None:
    """Write RGB frames (H, W, 3) uint8 of one size, both sides even, as H.264."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18", "preset": "veryfast"})
        stream.pix_fmt = "yuv420p"
        stream.gop_size = keyframe_interval
        for number, frame in enumerate(frames):
            if number == 0:
                stream.height, stream.width = frame.shape[:2]
            container.mux(
                stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24"))
            )
        container.mux(stream.encode())
