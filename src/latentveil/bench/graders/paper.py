"""The privacy grader as the SPLAVU paper prints it (appendix B)."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import nn

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

NUM_EPOCHS = 100
DIVISOR = 5
# The paper gives neither: torch's own default, and the batch size of its other trainings.
PLATEAU_EPOCHS = 10
BATCH_SIZE = 512


class PaperGrader(Grader):
    """d -> d, ReLU -> C; AdamW 1e-3, 100 epochs to the end, rate / 5 where the training loss stands still."""

    name: ClassVar[str] = "paper"
    about: ClassVar[str] = "the paper's MLP: 100 epochs, rate / 5 on a plateau, the last epoch counts"

    def network(self, train: Attributes, *, seed: int) -> nn.Module:
        """What is trained, untrained."""
        return two_layers(train, seed=seed)

    def grade(self, train: Attributes, test: Attributes, *, seed: int, adapt: Adapt | None = None) -> Grade:
        network = self.network(train, seed=seed)
        generator = torch.Generator().manual_seed(seed)
        optimizer = make_optimizer(network)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=1 / DIVISOR, patience=PLATEAU_EPOCHS
        )
        for _ in range(NUM_EPOCHS):
            batches = shuffled_batches(train, BATCH_SIZE, generator, adapt=adapt)
            schedule.step(train_epoch(network, optimizer, batches))
        return Grade(answers(network, test, BATCH_SIZE, adapt=adapt), NUM_EPOCHS)


grader = PaperGrader()
