"""Who plays: the anonymizer f_A, the action classifier f_T, the privacy branch f_B, and how one stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from latentveil.pixels.learning.observers import PrivacyBranch
from latentveil.pixels.learning.settings import TaskSection
from latentveil.pixels.learning.watch import Watch
from latentveil.pixels.networks.base import VIDEO_NETWORKS


class ActionClassifier(nn.Module):
    """f_T: clips (B, T, 3, S, S) to the logits (B, C) of actions; ``project`` gives what the triplet compares."""

    def __init__(self, settings: TaskSection, *, classes: int, projected: int | None = None) -> None:
        super().__init__()
        self.trunk = VIDEO_NETWORKS.get(settings.architecture).make(settings.options)
        self.trunk.requires_grad_(not settings.frozen)
        self.frozen = settings.frozen
        dim: int = self.trunk.dim  # type: ignore[assignment]
        self.head = nn.Linear(dim, classes)
        self.projection = nn.Sequential()
        if projected is not None:
            self.projection = nn.Sequential(
                nn.Linear(dim, 512),
                nn.BatchNorm1d(512),
                nn.ReLU(),
                nn.Linear(512, projected, bias=False),
                nn.BatchNorm1d(projected),
            )

    def train(self, mode: bool = True) -> ActionClassifier:
        """As usual, but that a frozen trunk gathers no statistics, and drops nothing."""
        super().train(mode)
        self.trunk.train(mode and not self.frozen)
        return self

    def features(self, clips: Tensor) -> Tensor:
        """(B, D), what the last layer reads."""
        return self.trunk(clips)

    def forward(self, clips: Tensor) -> Tensor:
        return self.head(self.trunk(clips))

    def project(self, clips: Tensor) -> Tensor:
        """(B, projected), to be compared by their direction."""
        return self.projection(self.trunk(clips))


@dataclass
class Players:
    """Everyone who learns, each with an optimizer; ``watch`` remembers how the training does.

    ``average`` has the weights of f_A as a moving average, where one is kept.
    """

    anonymizer: nn.Module
    task: ActionClassifier
    budget: PrivacyBranch
    watch: Watch
    rested: nn.Module = field(default_factory=nn.Module)  # f_B as it was after the start, to begin again from
    average: AveragedModel | None = None
    optimizers: dict[str, torch.optim.Optimizer] = field(default_factory=dict)
    writes = True  # one process trains

    def states(self) -> Iterator[tuple[str, Any]]:
        """All that a checkpoint keeps, by name."""
        for name in ("anonymizer", "task", "budget", "watch", "rested"):
            yield name, getattr(self, name)
        if self.average is not None:
            yield "average", self.average
        yield from ((f"optimizer_{name}", optimizer) for name, optimizer in self.optimizers.items())

    @property
    def result(self) -> nn.Module:
        """The anonymizer that the training results in."""
        return self.anonymizer if self.average is None else self.average.module


def moving_average(anonymizer: nn.Module, *, keeps: float) -> AveragedModel:
    """An average of weights, and of batch norm's statistics, of which each update keeps the share ``keeps``."""
    return AveragedModel(anonymizer, multi_avg_fn=get_ema_multi_avg_fn(keeps), use_buffers=True)


@contextmanager
def standing_still(*modules: nn.Module) -> Iterator[None]:
    """In here the modules neither learn nor gather statistics; gradients pass through them."""
    parts = [part for module in modules for part in module.modules()]
    modes = [(part, part.training) for part in parts]
    learners = [value for module in modules for value in module.parameters() if value.requires_grad]
    for part in parts:
        part.training = False
    for value in learners:
        value.requires_grad_(False)
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
        for value in learners:
            value.requires_grad_(True)


def take_step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """One update of a player."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
