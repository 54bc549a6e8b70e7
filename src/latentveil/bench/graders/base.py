"""What a published grader is handed and what it gives back. For reproduction only: audits never use these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from latentveil.errors import InputError

# Anonymizes one batch of raw rows, (B, D) -> (B, D): rows of a batch may change each other.
Adapt = Callable[[Tensor], Tensor]
LEARNING_RATE = 1e-3


@dataclass(frozen=True, eq=False)
class Attributes:
    """Stills with several yes-or-no attributes: ``feature`` (N, D) float32, ``target`` (N, C) of 0 and 1."""

    feature: np.ndarray
    target: np.ndarray

    def __post_init__(self) -> None:
        if self.feature.ndim != 2 or self.target.ndim != 2 or len(self.feature) != len(self.target):
            raise InputError(
                "feature and target must be of shape (N, D) and (N, C), "
                f"got {self.feature.shape} and {self.target.shape}."
            )
        if not np.isin(self.target, (0, 1)).all():
            raise InputError("target must hold 0 and 1 only. Leave out stills with an unknown attribute.")


@dataclass(frozen=True, eq=False)
class Grade:
    """The logits (N, C) on the test stills at the epoch that is reported, and that epoch."""

    logits: np.ndarray
    epoch: int


class Grader(ABC):
    """How a publication measures privacy: trained on some stills' attributes, read on others'."""

    name: ClassVar[str]
    about: ClassVar[str]

    @abstractmethod
    def grade(self, train: Attributes, test: Attributes, *, seed: int, adapt: Adapt | None = None) -> Grade:
        """Train on ``train`` and answer for ``test``; ``adapt`` is put in front of the network, batch by batch."""


def two_layers(data: Attributes, *, seed: int) -> nn.Sequential:
    """The network of the papers, untrained: d -> d, ReLU -> one logit per attribute."""
    dim, num_attributes = data.feature.shape[1], data.target.shape[1]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, num_attributes))


def make_optimizer(network: nn.Module) -> torch.optim.Optimizer:
    """The optimizer of the papers."""
    return torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)


def train_epoch(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterator[tuple[Tensor, Tensor]],
) -> float:
    """One pass with multi-label binary cross-entropy; gives the mean loss over stills."""
    total, count = 0.0, 0
    for features, targets in batches:
        loss = F.binary_cross_entropy_with_logits(network(features), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + loss.item() * len(features), count + len(features)
    return total / count


def shuffled_batches(
    data: Attributes, batch_size: int, generator: torch.Generator, *, adapt: Adapt | None
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield (features, targets) of all stills in random order, each batch anonymized by itself."""
    features, targets = torch.from_numpy(data.feature), torch.from_numpy(data.target).float()
    for rows in torch.randperm(len(features), generator=generator).split(batch_size):
        yield adapted(features[rows], adapt), targets[rows]


def answers(network: nn.Module, data: Attributes, batch_size: int, *, adapt: Adapt | None) -> np.ndarray:
    """The logits (N, C) of all stills, batches in the order of the rows."""
    with torch.no_grad():
        parts = [network(adapted(rows, adapt)) for rows in torch.from_numpy(data.feature).split(batch_size)]
    return torch.cat(parts).numpy()


def adapted(rows: Tensor, adapt: Adapt | None) -> Tensor:
    """The rows behind the adapter, without a gradient into it."""
    if adapt is None:
        return rows
    with torch.no_grad():
        return adapt(rows)
