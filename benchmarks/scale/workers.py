"""One worker against two: clips per second and core-seconds per clip in the middle of long runs, in turns."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.scale import kept
from benchmarks.speed.extraction import make_videos
from latentveil.extraction.inputs import collect_videos

PART = "workers"
# How many videos a run reads, some files several times: enough for a minute or so with one worker.
VIDEOS = {"tiny": 1200, "i3d at 224": 40}
FILES = 40
WORKERS = (1, 2)
REPEATS = 5


def measure_workers(
    *,
    repeats: int = REPEATS,
    videos: Mapping[str, int] = VIDEOS,
    again: bool = False,
    folder: Path = kept.FOLDER,
) -> None:
    """Add pairs of runs until every encoder has ``repeats``: one worker, then two; each pair is kept at once."""
    for name, count in videos.items():
        known = {} if again else kept.read(PART, folder=folder).get("encoders", {}).get(name, {})
        runs: dict[str, list[dict[str, float]]] = {
            str(workers): list(known.get("runs", {}).get(str(workers), ())) for workers in WORKERS
        }
        while len(runs[str(WORKERS[-1])]) < repeats:
            for workers, found in _pair(name, count).items():
                runs[workers].append(found)
            kept.add(PART, ("encoders", name), {"runs": runs, "videos": count}, folder=folder)


def _pair(name: str, count: int) -> dict[str, dict[str, float]]:
    """A run with each number of workers over the same videos."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        listed = _list_videos(folder, count)
        for workers in WORKERS:
            print(f"{name}, {count} videos, workers: {workers} …", file=sys.stderr, flush=True)
            found[str(workers)] = _run(listed, folder / f"store-{workers}", name, workers)
    return found


def _list_videos(folder: Path, count: int) -> Path:
    """A list of ``count`` videos: real ones where there are some, else made, each as often as it takes."""
    data = os.environ.get("LATENTVEIL_DATA")
    place = Path(data) / "lsa64" if data else folder / "videos"
    if not data:
        place.mkdir()
        make_videos(place, min(count, FILES))
    files = [video.path.resolve() for video in collect_videos([place])]
    with open(folder / "list.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["video", "path"])
        table.writerows((f"v{number:06}", path) for number, path in enumerate(islice(cycle(files), count)))
    return folder / "list.csv"


def _run(videos: Path, store: Path, name: str, workers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale.extraction_run"]
    done = subprocess.run(
        [*command, str(videos), str(store), name, str(workers)], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {key: round(value, 3) for key, value in found.items()}
