"""How long an audit with all attacks takes, and how much memory: `python -m benchmarks.speed.audit`."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from time import process_time

import numpy as np
import torch

from benchmarks.speed.measure import core_seconds, least_seconds, peak_megabytes, wall_seconds
from latentveil.attacks.preprocess import principal_axes
from latentveil.auditing.run import audit
from latentveil.labels import Labels
from latentveil.progress import OnProgress, Progress
from latentveil.types import STATIC, TEMPORAL, FeatureSet

NUM_CLIPS = 3
VIDEOS_PER_PERSON = 20
FEWEST_PEOPLE = 20
NUM_GROUPS = 4


@dataclass(frozen=True, eq=False)
class Scene:
    """Features before and after, and the labels of their videos."""

    raw: FeatureSet
    anonymized: FeatureSet
    labels: Labels


def make_scene(*, num_videos: int, dim: int) -> Scene:
    """Videos of three clips and three stills: looks and motion, of which the anonymized half of the looks are gone.

    Secrets are gender, one of four groups, and who it is.
    """
    random = np.random.default_rng(0)
    num_people = max(FEWEST_PEOPLE, num_videos // VIDEOS_PER_PERSON)
    person = np.arange(num_videos) % num_people
    looks = random.normal(size=(num_people, dim))[person]
    motion = random.normal(size=(num_videos, dim))
    video = np.array([f"v{number:06d}" for number in range(num_videos)])
    parts: dict[str, list[np.ndarray]] = {"raw": [], "anonymized": [], "kind": [], "clip": [], "video": []}
    for kind in (TEMPORAL, STATIC):
        for clip in range(NUM_CLIPS):
            noise = random.normal(size=(num_videos, dim))
            rest = noise + (motion if kind == TEMPORAL else 0)
            parts["raw"].append(looks + rest)
            parts["anonymized"].append(np.where(np.arange(dim) % 2, looks, 0) + rest)
            parts["kind"].append(np.full(num_videos, kind))
            parts["clip"].append(np.full(num_videos, clip))
            parts["video"].append(video)
    column = {name: np.concatenate(found) for name, found in parts.items()}
    order = np.argsort(column["video"], kind="stable")
    column = {name: values[order] for name, values in column.items()}
    features = FeatureSet(
        video=column["video"],
        clip=column["clip"],
        start_frame=column["clip"] * 16,
        time=column["clip"] * 0.64,
        kind=column["kind"],
        view=np.full(len(order), "validation"),
        feature=column["raw"].astype(np.float32),
    )
    split = np.array(["train", "train", "val", "test"])[np.arange(num_videos) // num_people % 4]
    secrets = {"secret_gender": person % 2, "secret_group": person // 2 % NUM_GROUPS}
    labels = Labels(
        video,
        split,
        np.array([f"p{number:04d}" for number in person]),
        columns={name: values.astype(str) for name, values in secrets.items()},
    )
    return Scene(features, features.with_feature(column["anonymized"].astype(np.float32)), labels)


def run_audit(scene: Scene, attacks: str, *, on_progress: OnProgress) -> None:
    chosen = "all" if attacks == "all" else attacks.split(",")
    audit(scene.raw, scene.anonymized, scene.labels, attacks=chosen, progress=on_progress)


class Stopwatch:
    """The core seconds of each attack and risk, by the last word of what an audit says of its progress."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0

    def __call__(self, step: Progress) -> None:
        name = step.note.rpartition(": ")[2] if step.stage == "audit" else step.stage
        self.seconds[name] = self.seconds.get(name, 0.0) + process_time() - self._last
        self._last = process_time()


def measure(*, num_videos: int, dim: int, attacks: str) -> dict[str, object]:
    """Seconds and memory of one audit, also as ratios to one eigendecomposition and to the size of the features."""
    scene = make_scene(num_videos=num_videos, dim=dim)
    centred = scene.raw.feature - scene.raw.feature.mean(axis=0)
    once = least_seconds(lambda: principal_axes(centred), repeats=1, seconds=core_seconds)
    watch = Stopwatch()
    taken: dict[str, float] = {}

    def timed() -> None:
        taken["wall"] = wall_seconds(
            lambda: taken.update(core=core_seconds(lambda: run_audit(scene, attacks, on_progress=watch)))
        )

    peak = peak_megabytes(timed)
    size = scene.raw.feature.nbytes / 1e6
    return {
        "videos": num_videos,
        "clips": len(scene.raw),
        "dim": dim,
        "threads": torch.get_num_threads(),
        "minutes": taken["wall"] / 60,
        "core_minutes": taken["core"] / 60,
        "core_time_over_one_eigendecomposition": taken["core"] / once,
        "memory_over_features": peak / size,
        "core_seconds": watch.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=2000)
    parser.add_argument("--dim", type=int, default=1024)
    parser.add_argument("--attacks", default="all")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    found = measure(num_videos=options.videos, dim=options.dim, attacks=options.attacks)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
