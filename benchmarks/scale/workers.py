"""One worker against two: seconds and core-seconds per clip, as slopes, so that what starting takes is kept apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scale import kept
from benchmarks.speed.extraction import make_videos

PART = "workers"
# How many videos: few, to know what starting takes, and many.
COUNTS = {"tiny": (8, 120), "i3d at 224": (2, 8)}
WORKERS = (1, 2)


def measure_workers(*, again: bool = False) -> None:
    """Measure the encoders that are not known yet, with one worker and with two in turns."""
    for name, (few, many) in COUNTS.items():
        if not again and name in kept.read(PART).get("encoders", {}):
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            videos = _videos(folder / "videos", many)
            found: dict[str, Any] = {}
            for count in (few, many):
                for workers in WORKERS:
                    print(f"{name}, {workers} workers, {count} videos …", file=sys.stderr, flush=True)
                    store = folder / f"store-{workers}-{count}"
                    found.setdefault(str(workers), []).append(_run(videos, store, name, workers, count))
            kept.add(PART, ("encoders", name), {"runs": found})


def _videos(folder: Path, count: int) -> Path:
    """The folder of real videos where there is one, else videos that are made."""
    data = os.environ.get("LATENTVEIL_DATA")
    if data:
        return Path(data) / "lsa64"
    folder.mkdir()
    make_videos(folder, count)
    return folder


def _run(videos: Path, store: Path, name: str, workers: int, count: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale.extraction_run"]
    done = subprocess.run(
        [*command, str(videos), str(store), name, str(workers), str(count)],
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return {key: round(value, 3) for key, value in found.items()} | {"load": os.getloadavg()[0]}
