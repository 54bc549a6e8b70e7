"""Scraps of video made on the spot: a few frames, written as files, to try pixel methods and detectors on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.labels import Labels
from latentveil.video.write import write_video

HEIGHT, WIDTH, NUM_FRAMES = 48, 64, 20
NUM_VIDEOS = 8


def make_clip(seed: int = 0, *, num_frames: int = NUM_FRAMES) -> np.ndarray:
    """Pictures (T, H, W, 3) uint8 of coloured blocks that move to the right, and a light square that does not."""
    blocks = np.random.default_rng(seed).integers(0, 200, (6, 8, 3), dtype=np.uint8)
    picture = blocks.repeat(HEIGHT // 6, axis=0).repeat(WIDTH // 8, axis=1)
    frames = np.stack([np.roll(picture, shift, axis=1) for shift in range(num_frames)])
    frames[:, 8:20, 20:32] = 255
    return frames


def write_scraps(folder: Path) -> Labels:
    """Write small videos to ``folder`` as `<key>.mp4`, and return their labels: half train, a quarter validates."""
    names = [f"video{number}" for number in range(NUM_VIDEOS)]
    for number, name in enumerate(names):
        write_video(folder / f"{name}.mp4", make_clip(number), fps=25)
    numbers = np.arange(NUM_VIDEOS)
    return Labels(
        video=np.array(names),
        split=np.array(["train", "train", "val", "test"])[numbers % 4],
        person=np.char.add("person", (numbers // 2).astype(str)),
        columns={"action": (numbers % 2).astype(str), "secret_gender": (numbers // 4).astype(str)},
    )
