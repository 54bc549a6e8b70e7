"""What safety costs, as ratios taken in one run: checksums when reading, and the sandbox when decoding."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import latentveil as lv
from benchmarks.speed.random_clips import as_videos, open_store, random_features
from latentveil.store import FeatureStore
from latentveil.store.shard_file import OpenShard
from latentveil.video.decode import open_video
from latentveil.video.decoder_process import DecoderProcess
from latentveil.video.decoding import USUAL, Decoding
from latentveil.video.write import write_video

TURNS = 5
SANDBOX = Decoding(sandbox=True)
VIDEOS, FRAMES = 6, 64


def _checking(rows: int = 10_000, dim: int = 1024) -> dict[str, float]:
    """Time of reading a store with checksums over that without, the best of some turns each."""
    with tempfile.TemporaryDirectory() as place:
        with open_store(Path(place) / "store", dim, dtype="float32") as writer:
            writer.write_shard(as_videos(random_features(rows, dim), 20, first=0))
            writer.finish()

        def seconds() -> float:
            store = FeatureStore(Path(place) / "store")
            started = time.process_time()
            store.read()
            return time.process_time() - started

        usual = OpenShard.check_groups
        checked, unchecked = [], []
        for _ in range(TURNS):
            checked.append(seconds())
            OpenShard.check_groups = lambda *_: None  # type: ignore[method-assign]
            try:
                unchecked.append(seconds())
            finally:
                OpenShard.check_groups = usual  # type: ignore[method-assign]
        return {"processor": round(min(checked) / min(unchecked), 2)}


def _decoding(height: int, width: int) -> dict[str, float]:
    """Decoding alone, with the sandbox over without."""
    with tempfile.TemporaryDirectory() as place:
        videos = _write_videos(Path(place) / "videos", height, width)

        def decode(decoding: Decoding) -> None:
            for video in videos:
                for _ in open_video(video, decoding=decoding).frames():
                    pass

        return _ratios(lambda: decode(USUAL), lambda: decode(SANDBOX))


def _extracting(height: int, width: int) -> dict[str, float]:
    """Extracting with the fastest encoder there is, with the sandbox over without."""
    with tempfile.TemporaryDirectory() as place:
        _write_videos(Path(place) / "videos", height, width)
        stores = (Path(place) / f"store{number}" for number in range(10_000))

        def extract(*, sandbox: bool) -> None:
            lv.extract(
                Path(place) / "videos",
                next(stores),
                encoder="tiny",
                workers=1,
                sandbox=sandbox,
                progress=False,
            )

        return _ratios(lambda: extract(sandbox=False), lambda: extract(sandbox=True))


def _ratios(usual: Callable[[], None], sandboxed: Callable[[], None]) -> dict[str, float]:
    taken: dict[str, list[tuple[float, float]]] = {"usual": [], "sandboxed": []}
    for _ in range(TURNS):
        for name, act in (("usual", usual), ("sandboxed", sandboxed)):
            taken[name].append(_seconds(act))
    best = {name: np.min(np.array(times), axis=0) for name, times in taken.items()}
    processor, clock = best["sandboxed"] / best["usual"]
    return {"processor": round(float(processor), 2), "clock": round(float(clock), 2)}


def _seconds(act: Callable[[], None]) -> tuple[float, float]:
    """Seconds of the processor, those of child processes and of their start among them, and of the clock."""
    before, started = _used(), time.monotonic()
    act()
    clock = time.monotonic() - started
    DecoderProcess._end_all()  # what a child used is known when it has ended
    return _used() - before, clock


def _used() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def _write_videos(folder: Path, height: int, width: int) -> list[Path]:
    folder.mkdir()
    draw = np.random.default_rng(0)
    for number in range(VIDEOS):
        blocks = draw.integers(0, 256, (height // 20, width // 20, 3), dtype=np.uint8)
        picture = blocks.repeat(20, axis=0).repeat(20, axis=1)
        write_video(
            folder / f"v{number}.mp4", (np.roll(picture, 3 * shift, axis=1) for shift in range(FRAMES))
        )
    return sorted(folder.iterdir())


COSTS: dict[str, Callable[[], dict[str, float]]] = {
    "checksums: reading clips of 1024 numbers": _checking,
    "sandbox: decoding 320 x 180": lambda: _decoding(180, 320),
    "sandbox: decoding 1280 x 720": lambda: _decoding(720, 1280),
    "sandbox: extracting 320 x 180 with the encoder tiny": lambda: _extracting(180, 320),
}
