"""Who learns in adversarial training: the adapter, the task heads and the observers, and where each starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import make_identity, train_reconstruction
from latentveil.machine.devices import to_device
from latentveil.methods.feed import Feed, PrivacyBatch
from latentveil.methods.ranks import Ranks
from latentveil.methods.selection import Best
from latentveil.methods.settings import TrainedSettings, TrainSection
from latentveil.tasks.learner import HeadLearner

BASE_BATCH_SIZE = 512  # the learning rate is given for this batch size (paper, B.3)


class Passed:
    """What the adapter makes of a privacy batch; each part passes when it is asked for, and once."""

    def __init__(self, adapter: Adapter, batch: PrivacyBatch, ranks: Ranks | None = None) -> None:
        self.adapter = adapter
        self.batch = batch
        self.ranks = ranks or Ranks()

    @cached_property
    def clips(self) -> Tensor:
        """The anonymized clips (B, T, D)."""
        return self.ranks.anonymized(self.adapter, self.batch.clips, self.batch.mask)

    @cached_property
    def first(self) -> Tensor:
        """The first stills (B, D), each of which passes alone (or, if the adapter attends so, among its batch)."""
        return self.ranks.anonymized(self.adapter, self.batch.first[:, None])[:, 0]

    @cached_property
    def second(self) -> Tensor:
        """The second stills (B, D)."""
        return self.ranks.anonymized(self.adapter, self.batch.second[:, None])[:, 0]


class PrivacyObjective(Protocol):
    """What the adapter trains against."""

    observers: nn.Module  # whoever learns to see through the adapter; without parameters if nobody does
    learning_rate: float  # the observers'

    def terms(self, passed: Passed) -> dict[str, tuple[float, Tensor]]:
        """Named losses with their weights, given what the adapter makes of a batch."""

    def observer_loss(self, adapter: Adapter, batch: PrivacyBatch) -> Tensor | None:
        """What the observers minimise, with the adapter under no_grad; None if there are none."""


@dataclass
class Players:
    """Everyone who learns, each with whoever moves its weights; and the best adapter so far, where one is chosen."""

    adapter: Adapter
    heads: nn.ModuleDict
    observers: nn.Module
    learners: dict[str, HeadLearner]
    ranks: Ranks = field(default_factory=Ranks)
    best: Best = field(default_factory=Best)

    @property
    def writes(self) -> bool:
        return self.ranks.first

    def take_step(self, loss: Tensor, *names: str) -> None:
        """One step of the learners called ``names`` down the gradient of ``loss``."""
        learners = [self.learners[name] for name in names]
        for learner in learners:
            learner.zero_grad()
        loss.backward()
        for learner in learners:
            self.ranks.average_gradients(learner.head.parameters())
            learner.step()

    def states(self) -> Iterator[tuple[str, Any]]:
        """All that a checkpoint keeps, by name; each has ``state_dict`` and ``load_state_dict``."""
        yield from (("adapter", self.adapter), ("heads", self.heads), ("observers", self.observers))
        yield "best", self.best
        yield from ((f"learner_{name}", learner) for name, learner in self.learners.items())


def assemble(
    feed: Feed,
    objective: PrivacyObjective,
    settings: TrainedSettings,
    *,
    prepared: bool = True,
    ranks: Ranks | None = None,
) -> Players:
    """The adapter and the heads, each with a learner.

    ``prepared``: the adapter gives its input and the pretrained heads know the raw features; else all are as they were
    built, for a checkpoint to be loaded into. Of several processes the first one prepares for all.
    """
    ranks, run = ranks or Ranks(), settings.train
    adapter = to_device(build_adapter(feed.dim, settings), run.device)
    ranks.require_shareable(adapter)
    prepares = prepared and ranks.first
    if prepares:
        start_from_identity(adapter, feed, settings)
    adapter.train()
    rate = scaled_rate(feed, settings)
    steps = run.epochs * feed.num_steps(run.batch_size, ends=run.epoch_ends)
    heads, learners = nn.ModuleDict(), {"adapter": learner_of(adapter, rate, fused=True)}
    for name, task in feed.tasks.items():
        trained = name in run.pretrained_heads
        make = task.starting_head if prepares and trained else task.build_head
        heads[name] = make(seed=run.seed).to(run.device).train()
        ranks.spread(heads[name])  # before a learner keeps an average of it
        learners[name] = task.make_learner(heads[name], rate, steps=steps, trained=trained)
    observers = objective.observers.to(run.device).train()
    if list(observers.parameters()):
        learners["observers"] = learner_of(observers, objective.learning_rate)
    for learner in learners.values():
        calm(learner, run, steps=steps)
    ranks.spread(adapter, observers)
    return Players(adapter=adapter, heads=heads, observers=observers, learners=learners, ranks=ranks)


def scaled_rate(feed: Feed, settings: TrainedSettings) -> float:
    """The learning rate, by the linear scaling rule for the batches there are: 80 videos in one have 80 / 512 of it."""
    run = settings.train
    if not run.linear_scaling:
        return run.learning_rate
    return run.learning_rate * min(run.batch_size, len(feed.videos)) / BASE_BATCH_SIZE


def learner_of(module: nn.Module, rate: float, *, fused: bool = False) -> HeadLearner:
    """AdamW and no more."""
    return HeadLearner(module, torch.optim.AdamW(module.parameters(), lr=rate, fused=fused))


def calm(learner: HeadLearner, run: TrainSection, *, steps: int) -> None:
    """Give a learner the schedule and the clipping of ``run``, where it has none of its own."""
    if run.schedule == "linear" and learner.schedule is None:
        learner.schedule = LambdaLR(learner.optimizer, lambda step: max(0.0, 1 - step / steps))
    if learner.gradient_clip is None:
        learner.gradient_clip = run.gradient_clip


def build_adapter(dim: int, settings: TrainedSettings) -> Adapter:
    """A fresh adapter."""
    return Adapter(
        dim=dim,
        architecture=settings.adapter.architecture,
        **settings.adapter.network_options(),
    )


def start_from_identity(adapter: Adapter, feed: Feed, settings: TrainedSettings) -> None:
    """Make the adapter give its input: exactly, or by reconstruction training."""
    recipe = settings.adapter.reconstruction()
    if recipe is None:
        make_identity(adapter)
        return
    sequences = [torch.as_tensor(sequence) for views in feed.clips.values() for sequence in views]
    train_reconstruction(adapter, sequences, recipe, seed=settings.train.seed)
