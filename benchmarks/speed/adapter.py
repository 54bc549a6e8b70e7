"""Training steps and `veil apply` against this machine's float32 matrix-multiply rate, and the memory of apply.

Run: python -m benchmarks.speed.adapter [--threads N] [--repeats N] [--json]

The multiplications of the adapter's linear layers are counted (2 per weight and clip, three times that with the
backward pass) and nothing else, so a share of 1 is out of reach. Times are of all cores together, the least of some
repeats that take turns, so that other load on the machine matters little.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# A thread that waits for another one must sleep: else it would count as busy. Read when torch is imported.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import numpy as np
import torch
from torch import nn

from benchmarks.speed.measure import core_seconds, peak_megabytes
from benchmarks.speed.random_clips import as_videos, open_store, random_features
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.apply import apply
from latentveil.adapters.saved import WEIGHTS_FILE
from latentveil.labels import Labels
from latentveil.methods.adversarial import update_adapter_and_heads
from latentveil.methods.feed import Feed
from latentveil.methods.plan import load_config
from latentveil.methods.players import assemble
from latentveil.methods.splavu import BudgetObjective, SplavuSettings
from latentveil.tasks.action import ActionTask
from latentveil.types import STATIC, TEMPORAL, FeatureSet, concatenate

MODULE = "benchmarks.speed.adapter"
DIM, LAYERS, NUM_CLASSES = 768, 3, 50
BATCH_VIDEOS = 512
SHARD_VIDEOS, CLIPS_PER_VIDEO = 512, 8
MATRIX_SIDE = 2048
MEMORY_STORES = ((10, 4), (40, 4), (160, 1))  # megabytes of a shard's features, and shards
SETTINGS = ("adapter.init=exact", f"adapter.layers={LAYERS}", "train.pretrained_heads=")


def make_features(
    num_videos: int, clips_per_video: int, *, kind: str = TEMPORAL, first: int = 0
) -> FeatureSet:
    """Random clips (N, 768) of videos that are numbered from ``first``."""
    feature = random_features(num_videos * clips_per_video, DIM, seed=first)
    return as_videos(feature, clips_per_video, kind=kind, first=first)


def flops_per_clip(adapter: Adapter) -> int:
    """Additions and multiplications of the linear layers for one clip, forward."""
    linears = [module for module in adapter.modules() if isinstance(module, nn.Linear)]
    return 2 * sum(linear.weight.numel() for linear in linears)


def training_step() -> tuple[Callable[[], object], float]:
    """One step of SPLAVU's players, adapter and head, on 512 videos of one clip, and its operations."""
    features = concatenate([make_features(BATCH_VIDEOS, 1), make_features(BATCH_VIDEOS, 2, kind=STATIC)])
    names = np.array(features.videos)
    action = np.char.mod("class%02d", np.arange(len(names)) % NUM_CLASSES)
    labels = Labels(video=names, split=np.full(len(names), "train"), columns={"action": action})
    feed = Feed(features, {"action": ActionTask(features, labels, batch_size=BATCH_VIDEOS)})
    config = load_config("paper", SETTINGS).settings
    assert isinstance(config, SplavuSettings)
    objective = BudgetObjective(config.loss)
    players = assemble(feed, objective, config)
    (step,) = feed.epoch(BATCH_VIDEOS, seed=0, epoch=0)

    def take() -> None:
        update_adapter_and_heads(players, objective, step, feed.tasks, config)

    # The task's clips, the clips kept near the raw ones, and two stills of each video go through the adapter.
    clips = step.tasks["action"].mask.sum() + step.privacy.mask.sum() + 2 * BATCH_VIDEOS
    return take, 3.0 * flops_per_clip(players.adapter) * int(clips)


def make_adapter(folder: Path) -> Adapter:
    adapter = Adapter(dim=DIM, layers=LAYERS).eval()
    adapter.save_pretrained(folder)
    return adapter


def write_store(path: Path, *, num_shards: int, shard_videos: int = SHARD_VIDEOS) -> int:
    """A store of random clips; gives their number."""
    with open_store(path, DIM) as writer:
        for number in range(num_shards):
            writer.write_shard(make_features(shard_videos, CLIPS_PER_VIDEO, first=number * shard_videos))
        return writer.finish().counts.clips


def measure_speed(folder: Path, *, repeats: int) -> dict[str, float]:
    """Operations per second of all cores together, and the shares of the matrix-multiply rate."""
    adapter = make_adapter(folder / "adapter")
    shard = make_features(SHARD_VIDEOS, CLIPS_PER_VIDEO)
    num_clips = write_store(folder / "store", num_shards=2)
    left, right = torch.randn(2, MATRIX_SIDE, MATRIX_SIDE)
    step, step_flops = training_step()
    turn = iter(range(repeats + 1))
    actions: dict[str, tuple[Callable[[], object], float]] = {
        "matrix_multiply": (lambda: torch.mm(left, right), 2.0 * MATRIX_SIDE**3),
        "training_step": (step, step_flops),
        "anonymize": (lambda: anonymize(adapter, shard), 1.0 * flops_per_clip(adapter) * len(shard)),
        "apply": (
            lambda: apply(folder / "adapter", folder / "store", folder / f"safe{next(turn)}"),
            1.0 * flops_per_clip(adapter) * num_clips,
        ),
    }
    least = dict.fromkeys(actions, np.inf)
    for action, _ in actions.values():
        action()  # warm up
    for _ in range(repeats):
        for name, (action, _) in actions.items():
            least[name] = min(least[name], core_seconds(action))
    rate = {name: flops / least[name] for name, (_, flops) in actions.items()}
    return {
        **{f"{name}_gflops_per_core_second": value / 1e9 for name, value in rate.items()},
        **{f"{name}_share": rate[name] / rate["matrix_multiply"] for name in list(actions)[1:]},
        "training_step_core_seconds": least["training_step"],
        "apply_clips_per_core_second": num_clips / least["apply"],
    }


def measure_memory(folder: Path) -> dict[str, float]:
    """Megabytes that apply takes beyond the adapter's weights, for stores of shards of several sizes (Linux)."""
    Adapter(dim=DIM, layers=1).save_pretrained(folder / "adapter")  # more layers take more time only
    write_store(folder / "small", num_shards=1, shard_videos=8)
    found = {"adapter_megabytes": (folder / "adapter" / WEIGHTS_FILE).stat().st_size / 1e6}
    for megabytes, num_shards in MEMORY_STORES:
        videos = round(megabytes * 1e6 / (CLIPS_PER_VIDEO * DIM * 4))
        write_store(folder / "store", num_shards=num_shards, shard_videos=videos)
        done = subprocess.run(
            [sys.executable, "-m", MODULE, "--memory", str(folder)],
            capture_output=True,
            text=True,
            check=True,
        )
        name = f"apply_megabytes_{num_shards}_shards_of_{megabytes}"
        found[name] = float(done.stdout) - found["adapter_megabytes"]
        shutil.rmtree(folder / "store")
    return found


def memory_of_apply(folder: Path) -> float:
    """Megabytes by which this process grows during an apply, once all code is loaded."""
    with tempfile.TemporaryDirectory() as output:
        apply(folder / "adapter", folder / "small", Path(output) / "small")
        return peak_megabytes(lambda: apply(folder / "adapter", folder / "store", Path(output) / "store"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    if options.memory:
        print(memory_of_apply(options.memory))
        return
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        memory = measure_memory(Path(first)) if sys.platform == "linux" else {}
        speed = measure_speed(Path(second), repeats=options.repeats)
    result = {"threads": options.threads, "dim": DIM, "layers": LAYERS, **speed, **memory}
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in result.items()}))
    else:
        print("\n".join(f"{name:45} {value:10.3f}" for name, value in result.items()))


if __name__ == "__main__":
    main()
