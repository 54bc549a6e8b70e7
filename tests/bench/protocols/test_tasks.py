"""Tasks behind adapters: who sees whom where an adapter attends over the batch."""

import numpy as np
import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.bench.protocols.tasks import TaskArena, TaskOptions
from latentveil.bench.rows import Row
from latentveil.labels import Labels
from latentveil.types import FeatureSet

DIM = 8


@pytest.fixture
def arena():
    """Four videos to detect in, and four that show an action."""
    random = np.random.default_rng(0)
    names = [f"{task}{number}" for task in ("detection", "action") for number in range(4)]
    clips = {name: random.standard_normal((3, DIM)).astype(np.float32) for name in names}
    columns = {
        task: np.array(["1" if name.startswith(task) else "" for name in names])
        for task in ("detection", "action")
    }
    labels = Labels(video=np.array(names), split=np.array(["train"] * len(names)), columns=columns)
    features = FeatureSet.from_arrays(clips, stills=None)
    return TaskArena(features, labels, 0, TaskOptions(tasks=("action", "detection")))


@pytest.fixture
def adapter():
    torch.manual_seed(0)
    return Adapter(dim=DIM, architecture="released", heads=2, attends="batch").eval()


def test_videos_to_find_something_in_pass_alone_and_others_together(arena, adapter):
    """As the public code grades them: its adapter mixes the action clips of a batch, and no others."""
    raw = arena.features
    together, alone = (anonymize(adapter, raw, seed=0, alone=alone).feature for alone in (False, True))
    assert not np.allclose(together, alone)
    safe = arena.safe_features(Row(name="released"), adapter).feature
    searched = np.char.startswith(raw.video, "detection")
    assert np.array_equal(safe[searched], alone[searched])
    assert np.array_equal(safe[~searched], together[~searched])
