"""SPAct's F1, which calls a still positive at logit > 0.5, not at probability 0.5."""

from __future__ import annotations

import numpy as np

from latentveil.bench.graders.measure import Measure
from latentveil.metrics.classification import f1

LOGIT_THRESHOLD = 0.5


def _macro_f1(targets: np.ndarray, logits: np.ndarray) -> float:
    """The mean over attributes of F1; one that is never called positive counts 0."""
    called = logits > LOGIT_THRESHOLD
    return float(np.mean([f1(targets[:, c], called[:, c]) for c in range(targets.shape[1])]))


spact_f1 = Measure("f1", "the mean over attributes of F1, positive at logit > 0.5", _macro_f1)
