"""The privacy grader of the papers' public code: logits of unit length, and the best test epoch."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from latentveil.bench.graders.base import (
    Adapt,
    Attributes,
    Grade,
    Grader,
    answers,
    make_optimizer,
    shuffled_batches,
    train_epoch,
    two_layers,
)
from latentveil.bench.graders.cmap import cmap

NUM_EPOCHS = 100
TEST_EVERY = 5
BATCH_SIZE = 1024


class UnitLogits(nn.Module):
    """Divide the logits (N, C) of each still by their length: all that is left is how attributes compare."""

    def forward(self, logits: Tensor) -> Tensor:
        return F.normalize(logits, dim=1)


class ReleasedGrader(Grader):
    """AdamW 1e-3 without a schedule, batches of 1,024 stills that pass the adapter together, for 100 epochs.

    Every 5 epochs it reads the test stills, and reports the epoch with the best cMAP there. ``chooses_epoch`` and
    ``unit_logits`` switch its two peculiarities off, to see what each of them does.
    """

    name: ClassVar[str] = "released"
    about: ClassVar[str] = (
        "the public code's MLP: unit logits, batches of 1,024, the best test epoch of every 5"
    )

    def __init__(self, *, unit_logits: bool = True, chooses_epoch: bool = True) -> None:
        self.unit_logits = unit_logits
        self.chooses_epoch = chooses_epoch

    def grade(self, train: Attributes, test: Attributes, *, seed: int, adapt: Adapt | None = None) -> Grade:
        network = two_layers(train, seed=seed)
        if self.unit_logits:
            network.append(UnitLogits())
        generator = torch.Generator().manual_seed(seed)
        optimizer = make_optimizer(network)
        found: dict[int, np.ndarray] = {}
        for epoch in range(1, NUM_EPOCHS + 1):
            train_epoch(network, optimizer, shuffled_batches(train, BATCH_SIZE, generator, adapt=adapt))
            if epoch == NUM_EPOCHS or (self.chooses_epoch and epoch % TEST_EVERY == 0):
                found[epoch] = answers(network, test, BATCH_SIZE, adapt=adapt)
        chosen = max(found, key=lambda epoch: cmap.value(test.target, found[epoch]))
        return Grade(found[chosen], chosen)


grader = ReleasedGrader()
