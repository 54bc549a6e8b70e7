"""Core-seconds per second of video: decoding, preprocessing, encoding and storing, for three encoders."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.scale import kept
from benchmarks.speed.extraction import PARTS, choose_videos, split_time
from latentveil.encoders import Encoder, load_encoder
from latentveil.extraction.inputs import VideoInput
from latentveil.video.decode import open_video

PART = "encoders"
# As `veil extract --encoder` takes them, and videos to measure on: fewer for a slow one.
ENCODERS = {
    "tiny": ("tiny", None, 16),
    "i3d at 224": ("i3d", 224, 3),
    "videomae-base (random weights)": ("module:benchmarks.scale.videomae_base:build", None, 2),
}


def measure_encoders(names: Sequence[str] = tuple(ENCODERS), *, again: bool = False) -> None:
    """Measure the encoders that are not known yet, one thread each."""
    torch.set_num_threads(1)
    for name in names:
        if again or name not in kept.read(PART).get("encoders", {}):
            print(f"{name} …", file=sys.stderr, flush=True)
            kept.add(PART, ("encoders", name), _measure(name))


def _measure(name: str) -> dict[str, Any]:
    plugin, size, num_videos = ENCODERS[name]
    encoder = load_encoder(plugin, size=size)
    with tempfile.TemporaryDirectory() as temporary:
        (Path(temporary) / "videos").mkdir()
        videos = choose_videos(Path(temporary) / "videos", num_videos)
        warm_up(encoder)
        store = Path(temporary) / "store"
        seconds = split_time(videos, encoder, store, clock=time.process_time)
        stored = sum(path.stat().st_size for path in store.iterdir())
    about = describe(videos)
    clips = sum(frames // encoder.info.clip_frames for frames in about.pop("frames"))
    return {
        "core_seconds": {part: round(seconds[part], 4) for part in PARTS},
        "clips": clips,
        "dim": encoder.info.dim,
        "stored_bytes": stored,
        "frame_size": encoder.info.frame_size,
        "clip_frames": encoder.info.clip_frames,
        **about,
    }


def warm_up(encoder: Encoder) -> None:
    size = encoder.info.frame_size
    encoder.encode(np.zeros((1, encoder.info.clip_frames, size, size, 3), dtype=np.uint8))


def describe(videos: Sequence[VideoInput]) -> dict[str, Any]:
    """The videos' number, frames, size and seconds."""
    frames, seconds, sizes = [], 0.0, set()
    for video in videos:
        source = open_video(str(video.path), threads=1)
        times = [(frame.time, frame.rgb.shape) for frame in source.frames()]
        frames.append(len(times))
        seconds += times[-1][0] * len(times) / max(1, len(times) - 1)
        sizes.add(f"{times[0][1][1]} x {times[0][1][0]}")
    return {"videos": len(videos), "frames": frames, "video_seconds": seconds, "sizes": sorted(sizes)}
