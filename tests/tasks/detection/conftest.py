from dataclasses import replace

import numpy as np
import pytest

from latentveil.labels import Labels, Segment
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.types import FeatureSet

FPS, STRIDE = 25.0, 16


@pytest.fixture
def tiny_config():
    """A detector for tests: all parts, few channels, and branches that matter from the start."""
    return replace(
        TriDetConfig.small(),
        width=16,
        mlp_width=24,
        norm_groups=4,
        num_levels=3,
        num_bins=4,
        min_steps=0,
        branch_scale=1.0,
    )


@pytest.fixture(scope="session")
def planted():
    """Random features in which each class of segment adds its own direction: (features, labels, segments)."""
    random = np.random.default_rng(0)
    directions = random.normal(size=(2, 16))
    sequences, segments = {}, {}
    for number in range(40):
        video, length = f"v{number:02d}", int(random.integers(20, 41))
        features = random.normal(size=(length, 16))
        segments[video] = []
        position = random.uniform(0, 6)
        while (end := position + random.uniform(3, 10)) < length - 1:
            label = int(random.integers(2))
            clip = np.arange(length)
            share = (np.minimum(clip + 1, end) - np.maximum(clip, position)).clip(0, 1)  # of each clip
            features += 2 * share[:, None] * directions[label]
            segments[video].append(Segment(position * STRIDE / FPS, end * STRIDE / FPS, f"action{label}"))
            position = end + random.uniform(2, 10)
        sequences[video] = features
    videos = np.array(sorted(sequences))
    split = np.where(np.arange(40) < 28, "train", np.where(np.arange(40) < 32, "val", "test"))
    return _feature_set(sequences), Labels(video=videos, split=split), segments


@pytest.fixture(scope="session")
def feature_set():
    return _feature_set


def _feature_set(sequences):
    """Temporal rows of {video: features (T, D)}, 16-frame clips without overlap at 25 fps."""
    clip = np.concatenate([np.arange(len(part)) for part in sequences.values()])
    return FeatureSet(
        video=np.concatenate([np.full(len(part), name) for name, part in sequences.items()]),
        clip=clip,
        start_frame=STRIDE * clip,
        time=STRIDE * clip / FPS,
        kind=np.full(len(clip), "temporal"),
        view=np.full(len(clip), "validation"),
        feature=np.concatenate(list(sequences.values())).astype(np.float32),
    )
