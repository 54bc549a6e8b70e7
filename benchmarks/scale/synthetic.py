"""Stores of any size, written a shard at a time: people who look alike in all their clips, and move in some ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.labels import Labels
from latentveil.store import Manifest, StoreWriter
from latentveil.types import STATIC, TEMPORAL, EncoderInfo, FeatureSet, Sampling

CLIPS, STILLS = 10, 2
ACTIONS = 8
SHARD_VIDEOS = 1000


def write_synthetic(folder: Path, num_clips: int, *, dim: int) -> Path:
    """A store `raw` of about ``num_clips`` clips and stills, and `labels.csv`, in ``folder``; what is there stays."""
    store = folder / "raw"
    num_videos = num_clips // (CLIPS + STILLS)
    motion = np.random.default_rng(0).normal(size=(ACTIONS, dim)).astype(np.float32)
    info = EncoderInfo("synthetic", "0" * 64, dim, 16, 224, (0.0,) * 3, (1.0,) * 3, "none")
    with StoreWriter(store, Manifest(encoder=info, sampling=Sampling(static_clips=STILLS))) as writer:
        done = writer.finished_videos()
        for first in range(0, num_videos, SHARD_VIDEOS):
            count = min(SHARD_VIDEOS, num_videos - first)
            if _name(first) not in done:
                writer.write_shard(_videos(first, count, motion=motion))
        writer.finish()
    names = [_name(number) for number in range(num_videos)]
    columns = {"action": np.array([f"a{number % ACTIONS}" for number in range(num_videos)])}
    split = np.array(
        [("train", "train", "val", "test")[number // ACTIONS % 4] for number in range(num_videos)]
    )
    Labels(video=np.array(names), split=split, columns=columns).write(folder / "labels.csv")
    return folder


def _videos(first: int, count: int, *, motion: np.ndarray) -> FeatureSet:
    """Some videos: looks that all rows of a video share, motion in its clips, noise."""
    random = np.random.default_rng(first + 1)
    rows = CLIPS + STILLS
    dim = motion.shape[1]
    looks = random.standard_normal((count, 1, dim), dtype=np.float32)
    feature = looks + 0.3 * random.standard_normal((count, rows, dim), dtype=np.float32)
    feature[:, :CLIPS] += motion[(first + np.arange(count)) % ACTIONS][:, None]
    clip = np.tile([*range(CLIPS), *range(STILLS)], count)
    return FeatureSet(
        video=np.repeat([_name(first + number) for number in range(count)], rows),
        clip=clip,
        start_frame=16 * clip,
        time=16 * clip / 25,
        kind=np.tile([TEMPORAL] * CLIPS + [STATIC] * STILLS, count),
        view=np.full(count * rows, "validation"),
        feature=feature.reshape(-1, dim),
    )


def _name(number: int) -> str:
    return f"video_{number:07d}"
