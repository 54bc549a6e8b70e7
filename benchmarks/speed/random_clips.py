"""Clips of random numbers, in memory and as a store, for benchmarks that do not care what a feature says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.store import Manifest, StoreWriter
from latentveil.types import TEMPORAL, EncoderInfo, FeatureSet, Sampling


def as_videos(
    feature: np.ndarray, clips_per_video: int, *, kind: str = TEMPORAL, first: int = 0
) -> FeatureSet:
    """Rows (N, D) as videos of so many clips each, which are numbered from ``first``."""
    clip = np.arange(len(feature)) % clips_per_video
    return FeatureSet(
        video=np.char.mod("video_%07d", first + np.arange(len(feature)) // clips_per_video),
        clip=clip,
        start_frame=16 * clip,
        time=16 * clip / 25,
        kind=np.full(len(feature), kind),
        view=np.full(len(feature), "validation"),
        feature=feature,
    )


def random_features(num_clips: int, dim: int, *, seed: int = 0) -> np.ndarray:
    """Normal numbers (N, D)."""
    return np.random.default_rng(seed).standard_normal((num_clips, dim), dtype=np.float32)


def open_store(path: Path, dim: int, *, dtype: str = "float32") -> StoreWriter:
    """The writer of a store of such clips."""
    encoder = EncoderInfo("random", "0" * 64, dim, 16, 224, (0.0,) * 3, (1.0,) * 3, "none")
    return StoreWriter(path, Manifest(encoder=encoder, sampling=Sampling(), dtype=dtype))
