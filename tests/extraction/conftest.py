"""A folder of small videos with known numbers of frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from latentveil.video.write import write_video

NUM_FRAMES = {"a": 40, "b": 16, "c": 33, "d": 5, "e": 64, "f": 20}


@pytest.fixture(scope="session")
def videos(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for number, (name, num_frames) in enumerate(NUM_FRAMES.items()):
        blocks = np.random.default_rng(number).integers(0, 256, (6, 8, 3), dtype=np.uint8)
        picture = blocks.repeat(12, axis=0).repeat(12, axis=1)  # (72, 96, 3)
        write_video(
            folder / f"{name}.mp4", (np.roll(picture, 2 * shift, axis=1) for shift in range(num_frames))
        )
    return folder
