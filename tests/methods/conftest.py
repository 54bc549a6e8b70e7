"""What the tests of methods share: a reader of labels that learns from one half of the videos."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from latentveil.tasks.probes import fit_linear_probe
from latentveil.types import FeatureSet


@pytest.fixture(scope="session")
def read_accuracy() -> Callable[..., float]:
    """How often a linear probe for a label column is right about clips of other videos than it was trained on."""

    def accuracy(toy, features: FeatureSet, column: str) -> float:
        clips = features.of_kind("temporal")
        _, target = np.unique(toy.labels.lookup(column, clips.video), return_inverse=True)
        train = toy.labels.lookup("split", clips.video) == "train"
        known = clips.feature[train], target[train]
        probe = fit_linear_probe(*known, *known, seed=0)
        return float((probe.logits(clips.feature[~train]).argmax(1) == target[~train]).mean())

    return accuracy
