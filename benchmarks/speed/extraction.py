"""Where the time of an extraction goes: decoding, preprocessing, encoding, storing; eager torch against ONNX Runtime.

    python -m benchmarks.speed.extraction [--encoder i3d] [--size 224] [--videos 4] [--json]

Reads videos of LATENTVEIL_DATA where that is set, else makes its own. The four parts are timed one after the other,
so that they add up to the wall time; a real extraction hides decoding behind encoding, which the last lines show.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from latentveil.encoders import Encoder, load_encoder
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.store import Manifest, StoreWriter
from latentveil.types import FeatureSet, Sampling
from latentveil.video.decode import open_video
from latentveil.video.frames import Frame, FrameSource
from latentveil.video.reading import Clip, ClipFormat, read_clips
from latentveil.video.write import write_video

Clock = Callable[[], float]
PARTS = ("decode", "preprocessing", "encode", "store")
BATCH_CLIPS = ExtractOptions().batch_clips


class TimedSource(FrameSource):
    """Another source's frames, with the seconds it took to decode them by a ``clock``."""

    def __init__(self, source: FrameSource, clock: Clock = time.perf_counter) -> None:
        super().__init__(source.path)
        self.source = source
        self.clock_of_seconds = clock
        self.seconds = 0.0

    @property
    def num_frames(self) -> int:
        return self.source.num_frames

    def frames(self) -> Iterator[Frame]:
        return self._timed(self.source.frames())

    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        return self._timed(self.source.frames_at(indices))

    def _timed(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        while True:
            started = self.clock_of_seconds()
            frame = next(frames, None)
            self.seconds += self.clock_of_seconds() - started
            if frame is None:
                return
            yield frame


def make_videos(folder: Path, number: int) -> None:
    """Moving textures with camera noise, 320 x 240, 96 frames each."""
    for index in range(number):
        rng = np.random.default_rng(index)
        texture = rng.integers(0, 256, (30, 40, 3)).repeat(8, axis=0).repeat(8, axis=1)  # (240, 320, 3)
        noise = rng.normal(scale=3, size=texture.shape)
        frames = (
            np.roll(texture, 2 * shift, axis=1) + np.roll(noise, 7 * shift, axis=0) for shift in range(96)
        )
        write_video(folder / f"{index}.mp4", (np.clip(frame, 0, 255).astype(np.uint8) for frame in frames))


def choose_videos(folder: Path, number: int) -> list[VideoInput]:
    data = os.environ.get("LATENTVEIL_DATA")
    if data:
        return collect_videos([Path(data) / "lsa64"])[:number]
    make_videos(folder, number)
    return collect_videos([folder])


def split_time(
    videos: list[VideoInput], encoder: Encoder, store: Path, *, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Seconds of each part when they run one after the other."""
    seconds = dict.fromkeys(PARTS, 0.0)
    clip_format = ClipFormat(Sampling(), encoder.info.clip_frames, encoder.info.frame_size)
    with StoreWriter(store, Manifest(encoder=encoder.info, sampling=Sampling())) as writer:
        for video in videos:
            started = clock()
            source = TimedSource(open_video(str(video.path), threads=torch.get_num_threads()), clock)
            clips = list(read_clips(source, video.video, clip_format=clip_format))
            stacked = np.stack([clip.stacked(clip_format.clip_frames) for clip in clips])
            seconds["decode"] += source.seconds
            seconds["preprocessing"] += clock() - started - source.seconds

            started = clock()
            parts = [encoder.encode(stacked[i : i + BATCH_CLIPS]) for i in range(0, len(clips), BATCH_CLIPS)]
            seconds["encode"] += clock() - started

            started = clock()
            writer.write_shard(as_features(video.video, clips, torch.cat(parts).numpy()))
            seconds["store"] += clock() - started
        started = clock()
        writer.finish()
        seconds["store"] += clock() - started
    return seconds


def as_features(video: str, clips: list[Clip], feature: np.ndarray) -> FeatureSet:
    columns = {name: np.array([getattr(clip.place, name) for clip in clips]) for name in vars(clips[0].place)}
    return FeatureSet(video=np.full(len(clips), video), **columns, feature=feature)


def measure(videos: list[VideoInput], encoder: Encoder, folder: Path) -> dict[str, float]:
    """The split, the share that is not encoding, and the rate of a real extraction."""
    size = encoder.info.frame_size
    encoder.encode(np.zeros((1, encoder.info.clip_frames, size, size, 3), dtype=np.uint8))  # warm up
    seconds = split_time(videos, encoder, folder / "split")
    report = run_extraction([video.path for video in videos], folder / "store", encoder=encoder)
    return {
        **{f"{part}_seconds": value for part, value in seconds.items()},
        "overhead_share": 1 - seconds["encode"] / sum(seconds.values()),
        "clips": report.num_clips,
        "encode_seconds_per_clip": seconds["encode"] / report.num_clips,
        "extract_seconds": report.seconds,
        "extract_clips_per_second": report.num_clips / report.seconds,
    }


def show(backend: str, result: dict[str, float]) -> None:
    total = sum(result[f"{part}_seconds"] for part in PARTS)
    print(f"{backend}: {result['clips']} clips, {result['encode_seconds_per_clip']:.3f} s of encoding each")
    for part in PARTS:
        print(f"  {part:13} {result[f'{part}_seconds']:8.3f} s  {result[f'{part}_seconds'] / total:6.1%}")
    print(f"  all but encoding {result['overhead_share']:.1%} of the wall time")
    print(
        f"  veil extract: {result['extract_seconds']:.2f} s, {result['extract_clips_per_second']:.2f} clips/s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="i3d")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--videos", type=int, default=4)
    parser.add_argument("--backends", nargs="+", default=["torch", "onnx"], choices=["torch", "onnx"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "videos").mkdir()
        videos = choose_videos(folder / "videos", arguments.videos)
        for backend in arguments.backends:
            encoder = load_encoder(arguments.encoder, size=arguments.size, backend=backend)
            results[backend] = measure(videos, encoder, folder / backend)
            if not arguments.json:
                show(backend, results[backend])
    if arguments.json:
        print(json.dumps({"encoder": arguments.encoder, "size": arguments.size, "backends": results}))


if __name__ == "__main__":
    main()
