"""How fast a store is written and read, against np.save and np.load of the same numbers in the same run.

Run: python -m benchmarks.speed.store [--rows N] [--dim D] [--dtype float32|float16] [--turns N]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.speed.measure import wall_seconds
from benchmarks.speed.random_clips import as_videos, open_store, random_features
from latentveil.store import FeatureStore, find_problems

VIDEO_CLIPS = 20
SHARD_ROWS = 16_000
NUM_RANDOM_VIDEOS = 200


def write_store(path: Path, feature: np.ndarray, dtype: str) -> None:
    with open_store(path, feature.shape[1], dtype=dtype) as writer:
        for start in range(0, len(feature), SHARD_ROWS):
            rows = feature[start : start + SHARD_ROWS]
            writer.write_shard(as_videos(rows, VIDEO_CLIPS, first=start // VIDEO_CLIPS))
        writer.finish()


def read_shards(path: Path) -> None:
    for shard in FeatureStore(path).shards():
        del shard


def read_some_videos(path: Path, count: int) -> None:
    store = FeatureStore(path)
    for name in np.random.default_rng(0).choice(store.videos, count, replace=False):
        store.video_array(str(name))


def take_turn(feature: np.ndarray, dtype: str) -> dict[str, float]:
    """Seconds of each action on features (N, D), and the store's size relative to the plain array."""
    plain = feature.astype(dtype)
    with tempfile.TemporaryDirectory() as folder:
        array, store = Path(folder) / "raw.npy", Path(folder) / "store"
        return {
            "np_save": wall_seconds(lambda: np.save(array, plain)),
            "write": wall_seconds(lambda: write_store(store, feature, dtype)),
            "np_load": wall_seconds(lambda: np.load(array)),
            "read": wall_seconds(lambda: FeatureStore(store).read()),
            "shards": wall_seconds(lambda: read_shards(store)),
            "verify": wall_seconds(lambda: find_problems(store)),
            "videos": wall_seconds(lambda: read_some_videos(store, NUM_RANDOM_VIDEOS)),
            "size": sum(path.stat().st_size for path in store.glob("*.parquet")) / plain.nbytes,
        }


def measure(rows: int, dim: int, *, dtype: str, turns: int) -> dict[str, float]:
    """Medians over turns in which every action is done once, so that other load on the machine hits all alike."""
    feature = random_features(rows, dim)
    taken = [take_turn(feature, dtype) for _ in range(turns)]
    median = {name: statistics.median(turn[name] for turn in taken) for name in taken[0]}
    megabytes = rows * dim * np.dtype(dtype).itemsize / 1e6
    rates = {name: seconds for name, seconds in median.items() if name not in ("videos", "size")}
    return {
        **{f"{name}_mb_per_s": megabytes / seconds for name, seconds in rates.items()},
        **{f"{name}_rows_per_s": rows / median[name] for name in ("write", "read", "shards")},
        "write_time_over_np_save": median["write"] / median["np_save"],
        "read_time_over_np_load": median["read"] / median["np_load"],
        "random_video_ms": 1e3 * median["videos"] / NUM_RANDOM_VIDEOS,
        "size_over_raw": median["size"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--dtype", choices=["float32", "float16"], default="float32")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    result = measure(arguments.rows, arguments.dim, dtype=arguments.dtype, turns=arguments.turns)
    print(json.dumps(vars(arguments) | {name: round(value, 3) for name, value in result.items()}, indent=1))


if __name__ == "__main__":
    main()
