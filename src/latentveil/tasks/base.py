"""The interface of a task: data to train a head on, the head, its loss, and its score on held-out videos."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from latentveil.metrics.intervals import Halves
from latentveil.tasks.learner import HeadLearner
from latentveil.types import Interval


@dataclass(frozen=True)
class TaskBatch:
    """Some videos of a task's training part.

    Shapes: ``features`` (B, T, D), zero where padded; ``mask`` (B, T), True where a clip is real. ``target`` is
    whatever the task's own loss reads. ``asked`` (B, T) is True where the loss looks at a clip: at all real ones unless
    it is given. Other clips are there for an adapter to see.
    """

    features: Tensor
    mask: Tensor
    target: Any
    asked: Tensor | None = None

    @property
    def answered(self) -> Tensor:
        """Which clips the loss looks at, (B, T)."""
        return self.mask if self.asked is None else self.asked

    def to(self, device: str) -> TaskBatch:
        """The batch with its features on ``device``; a loss moves its own target."""
        asked = None if self.asked is None else self.asked.to(device)
        return replace(self, features=self.features.to(device), mask=self.mask.to(device), asked=asked)


@dataclass(frozen=True)
class TaskScore:
    """How well a head does on one split: the metric with its interval over videos, and further numbers.

    ``halves`` are the metric on halves of the people, for comparisons with other features of the same videos.
    """

    metric: str
    interval: Interval
    details: dict[str, float] = field(default_factory=dict)
    halves: Halves | None = None


class Task(ABC):
    """One use of the features, bound to the features and labels it was built with.

    A task built on raw features trains the adapter (its batches go through the adapter, then ``loss``); a task
    built on anonymized features measures what is left (``fit_head``, then ``score``). Test videos are read by
    ``score(head, "test")`` alone. A task that ``locates`` asks when something happens within a video. Where an adapter
    attends over the batch, as in the public code, the training videos of a task that ``trains_alone`` do not see each
    other.
    """

    name: ClassVar[str]
    locates: ClassVar[bool] = False
    trains_alone: ClassVar[bool] = False
    metric: str

    @property
    @abstractmethod
    def chance(self) -> float:
        """The metric's value for a head that knows nothing."""

    @abstractmethod
    def build_head(self, *, seed: int) -> nn.Module:
        """A fresh head for this task's feature dimension."""

    @abstractmethod
    def batches(self, *, seed: int) -> Iterator[TaskBatch]:
        """One epoch over the training videos, in an order (and with clips) drawn from ``seed``."""

    @property
    def num_batches(self) -> int:
        """The number of batches of one epoch."""
        return sum(1 for _ in self.batches(seed=0))

    @abstractmethod
    def loss(self, head: nn.Module, features: Tensor, batch: TaskBatch) -> Tensor:
        """The head's training loss (a scalar) on ``features`` (B, T, D): the batch's own, raw or anonymized."""

    @abstractmethod
    def examples(self) -> Iterator[tuple[Tensor, int]]:
        """Stretches of the training videos that belong to one class: clip features (T, D) in time order, and class."""

    def make_optimizer(self, head: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        """The optimizer of a head that learns beside the adapter; a task with a recipe of its own overrides this."""
        return torch.optim.AdamW(head.parameters(), lr=learning_rate)

    def make_learner(
        self, head: nn.Module, learning_rate: float, *, steps: int, trained: bool
    ) -> HeadLearner:
        """Who moves a head beside the adapter, for ``steps`` steps; ``trained`` says that it does not start fresh."""
        return HeadLearner(head, self.make_optimizer(head, learning_rate))

    @abstractmethod
    def fit_head(self, *, seed: int) -> nn.Module:
        """A head trained to the end on this task's training videos, every choice made on validation videos."""

    def starting_head(self, *, seed: int) -> nn.Module:
        """A head that knows this task's features and still doubts, to go on learning beside an adapter."""
        return self.fit_head(seed=seed)

    @abstractmethod
    def score(self, head: nn.Module, split: str, *, seed: int) -> TaskScore:
        """The metric of ``head`` on the videos of ``split``, with an interval over people (or videos)."""
