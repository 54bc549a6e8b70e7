"""Videos of every odd kind, written with a picture whose content tells the frame's number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

LEVELS_PER_FRAME = 4


def numbered_frame(number: int, height: int = 48, width: int = 64) -> np.ndarray:
    """A frame whose grey level is its number, with a bright top left corner to tell what is up."""
    frame = np.full((height, width, 3), LEVELS_PER_FRAME * number, dtype=np.uint8)
    frame[: height // 4, : width // 4] = 255
    return frame


@pytest.fixture
def number_of() -> Callable[[np.ndarray], int]:
    """Reads the number of a frame from its middle."""

    def read(rgb: np.ndarray) -> int:
        height, width = rgb.shape[:2]
        middle = rgb[2 * height // 5 : 3 * height // 5, 2 * width // 5 : 3 * width // 5]
        return round(float(middle.mean()) / LEVELS_PER_FRAME)

    return read


@pytest.fixture
def write_numbered(tmp_path: Path) -> Callable[..., Path]:
    """Write a video of numbered frames and return its path."""

    def write(
        name: str = "video.mp4",
        num_frames: int = 40,
        *,
        size: tuple[int, int] = (48, 64),
        codec: str = "libx264",
        pixel_format: str = "yuv420p",
        milliseconds: Sequence[int] | None = None,
        rotation: int = 0,
        keyframe_interval: int = 8,
        muxer_options: dict[str, str] | None = None,
    ) -> Path:
        path = tmp_path / name
        with av.open(str(path), "w", options=muxer_options or {}) as container:
            stream = container.add_stream(codec, rate=25)
            stream.height, stream.width = size
            stream.pix_fmt = pixel_format
            stream.gop_size = keyframe_interval
            stream.bit_rate = 2_000_000
            if rotation:
                stream.set_display_rotation(rotation)
            container.start_encoding()
            for number in range(num_frames):
                frame = av.VideoFrame.from_ndarray(numbered_frame(number, *size), format="rgb24")
                if milliseconds is not None:
                    frame.pts, frame.time_base = milliseconds[number], Fraction(1, 1000)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return path

    return write
