"""A writing run that is killed again and again; called by test_write.py in a process of its own.

Usage: python killed_writer.py STORE UNDISTURBED SEED. Writes the same videos to both folders, the second one in one
go, and prints a JSON list: for each killed run, the shards it left behind.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from conftest import make_features, make_manifest
from latentveil.store import StoreWriter

VIDEOS = [f"group{number % 3}/video{number:02}" for number in range(36)]
KILLS = 20
WORKERS = 2


def write_all(path: Path, *, shard_videos: int) -> None:
    """One whole run: two forked workers write what is missing, the coordinator finishes."""
    with StoreWriter(path, make_manifest()) as writer:
        missing = sorted(set(VIDEOS) - writer.finished_videos())
        groups = [missing[start : start + shard_videos] for start in range(0, len(missing), shard_videos)]
        shards = writer.shard_writer()
        children = []
        for worker in range(WORKERS):
            child = os.fork()
            if child == 0:
                for group in groups[worker::WORKERS]:
                    shards.write_shard(make_features(group, clips=40, dim=8))
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        writer.finish()


def write_undisturbed(path: Path) -> float:
    """All videos in one go; returns the seconds that a shard takes (the first, which loads things, not counted)."""
    with StoreWriter(path, make_manifest()) as writer:
        writer.write_shard(make_features(VIDEOS[:12], clips=40, dim=8))
        started = time.monotonic()
        for start in range(12, len(VIDEOS), 6):
            writer.write_shard(make_features(VIDEOS[start : start + 6], clips=40, dim=8))
        seconds = time.monotonic() - started
        writer.finish()
    return seconds / 4


def run_and_kill(path: Path, *, seconds: float, with_workers: bool, shard_videos: int) -> None:
    run = os.fork()
    if run == 0:
        os.setsid()
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (an orphaned worker's refusal is expected)
        write_all(path, shard_videos=shard_videos)
        os._exit(0)
    time.sleep(seconds)
    if with_workers:
        try:
            os.killpg(run, signal.SIGKILL)
        except ProcessLookupError:  # killed before it had a group of its own
            os.kill(run, signal.SIGKILL)
    else:
        os.kill(run, signal.SIGKILL)
    os.waitpid(run, 0)


def main() -> None:
    path, undisturbed, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    path.mkdir()
    chance = random.Random(seed)
    shard_seconds = write_undisturbed(undisturbed)
    left = []
    for number in range(KILLS):
        # Groups of another size in each run: a worker that outlives its run would leave videos twice.
        run_and_kill(
            path,
            seconds=chance.uniform(0.0, 6.0) * shard_seconds,
            with_workers=number % 2 == 0,
            shard_videos=chance.randint(1, 3),
        )
        left.append({shard.name: shard.stat().st_mtime_ns for shard in path.glob("shard-*.parquet")})
    write_all(path, shard_videos=2)
    print(json.dumps(left))


if __name__ == "__main__":
    main()
