"""How long one training step and the scoring of the anomaly detectors take: `python -m benchmarks.speed.anomaly`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.speed.measure import least_seconds
from benchmarks.speed.random_clips import as_videos, random_features
from latentveil.labels import Labels, Segment
from latentveil.tasks.anomaly.config import MGFNConfig, SultaniConfig
from latentveil.tasks.anomaly.task import AnomalyTask

CONFIGS: dict[str, Callable[[], MGFNConfig | SultaniConfig]] = {
    "mgfn-small": MGFNConfig.small,
    "mgfn": MGFNConfig,
    "sultani": SultaniConfig,
}


def make_task(
    config: MGFNConfig | SultaniConfig, *, num_videos: int, num_clips: int, dim: int
) -> AnomalyTask:
    """A task on random features: every second video is anomalous in its middle third."""
    features = as_videos(random_features(num_videos * num_clips, dim), num_clips)
    names = features.videos
    seconds = float(features.time.max()) + 16 / 25
    labels = Labels(
        video=np.array(names),
        split=np.array([("train", "train", "val", "test")[index // 2 % 4] for index in range(num_videos)]),
        columns={"anomaly": np.array([str(index % 2) for index in range(num_videos)])},
    )
    segments = {name: [Segment(seconds / 3, 2 * seconds / 3, "event")] for name in names[1::2]}
    return AnomalyTask(features, labels, segments, config)


def measure(task: AnomalyTask, *, repeats: int) -> dict[str, float]:
    """Seconds of one training step and of one scoring of the test videos, and the videos and clips they saw."""
    head = task.build_head(seed=0).train()
    optimizer = task.make_optimizer(head, task.config.learning_rate)
    batch = next(task.batches(seed=0))
    names = task.videos.names("test")

    def train_step() -> None:
        optimizer.zero_grad()
        task.loss(head, batch.features, batch).backward()
        optimizer.step()

    return {
        "train_step_seconds": least_seconds(train_step, repeats=repeats),
        "batch_videos": len(batch.features),
        "score_seconds": least_seconds(lambda: task.clip_scores(head, names), repeats=repeats),
        "bootstrap_seconds": least_seconds(lambda: task.score(head, "test", seed=0), repeats=1),
        "scored_clips": sum(len(task.videos.views(name)[0]) for name in names),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detectors", nargs="+", choices=CONFIGS, default=list(CONFIGS))
    parser.add_argument("--videos", type=int, default=100)
    parser.add_argument("--clips", type=int, default=60)
    parser.add_argument("--dim", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    results = {}
    for name in options.detectors:
        task = make_task(CONFIGS[name](), num_videos=options.videos, num_clips=options.clips, dim=options.dim)
        results[name] = measure(task, repeats=options.repeats)
    if options.json:
        sizes = {"videos": options.videos, "clips": options.clips, "dim": options.dim}
        print(json.dumps({**sizes, "threads": torch.get_num_threads(), "detectors": results}))
        return
    for name, found in results.items():
        print(
            f"{name:12s} training step {found['train_step_seconds'] * 1e3:8.1f} ms ({found['batch_videos']} videos), "
            f"scoring {found['scored_clips']} clips {found['score_seconds'] * 1e3:8.1f} ms, "
            f"with interval {found['bootstrap_seconds'] * 1e3:8.1f} ms"
        )


if __name__ == "__main__":
    main()
