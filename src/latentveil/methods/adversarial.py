"""Adversarial training (Algorithm 1): adapter and task heads against a privacy objective, in one visible loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import make_identity, train_reconstruction
from latentveil.devices import to_device
from latentveil.losses.consistency import latent_consistency
from latentveil.methods.feed import Feed, PrivacyBatch, Step
from latentveil.methods.health import examine, refuse_collapse
from latentveil.methods.settings import TrainedSettings
from latentveil.progress import OnProgress, Progress, silent
from latentveil.run_folder import RunFolder, first_epoch
from latentveil.tasks.base import Task

BASE_BATCH_SIZE = 512  # the learning rate is given for this batch size (paper, B.3)


class PrivacyObjective(Protocol):
    """What the adapter trains against."""

    observers: nn.Module  # whoever learns to see through the adapter; without parameters if nobody does
    learning_rate: float  # the observers'

    def terms(self, adapter: Adapter, batch: PrivacyBatch, clips: Tensor) -> dict[str, tuple[float, Tensor]]:
        """Named losses with their weights, given the batch and its anonymized ``clips`` (B, T, D)."""

    def observer_loss(self, adapter: Adapter, batch: PrivacyBatch) -> Tensor | None:
        """What the observers minimise, with the adapter under no_grad; None if there are none."""


@dataclass
class Players:
    """Everyone who learns, each with an optimizer."""

    adapter: Adapter
    heads: nn.ModuleDict
    observers: nn.Module
    optimizers: dict[str, torch.optim.Optimizer]


def train(
    feeds: Callable[[int], Feed],
    objective: PrivacyObjective,
    settings: TrainedSettings,
    *,
    run: RunFolder | None = None,
    on_progress: OnProgress = silent,
) -> Adapter:
    """Train an adapter on the features that ``feeds(epoch)`` gives: the same ones each epoch, or freshly augmented.

    ``run`` keeps checkpoints and the log of every loss term: a run that was killed goes on from its last checkpoint to
    the very result it would have had. ``on_progress`` hears of each epoch.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.train.seed)
        start = first_epoch(run, settings.train.epochs)
        feed = feeds(start)
        players = assemble(feed, objective, settings, prepared=start == 0)
        if run:
            run.restore(players)
        for epoch in range(start, settings.train.epochs):
            feed = feeds(epoch) if epoch > start else feed
            log: list[dict[str, float]] = []
            for step in feed.epoch(settings.train.batch_size, seed=settings.train.seed, epoch=epoch):
                step = step.to(settings.train.device)
                terms, anonymized = update_adapter(players, objective, step, feed.tasks, settings)
                update_heads(players, step, feed.tasks, anonymized)
                terms |= update_observers(players, objective, step)
                log.append(terms)
            means = {name: sum(terms[name] for terms in log) / len(log) for name in log[0]}
            health = examine(*before_and_after(players.adapter, step.privacy))
            refuse_collapse(health, epoch)
            if run:
                run.log(epoch, {**means, **health.to_dict()})
                run.save(players, epoch + 1, last=epoch + 1 == settings.train.epochs)
            on_progress(Progress("fitting", epoch + 1, settings.train.epochs, note=in_words(means)))
    return players.adapter.eval().cpu()


def in_words(terms: dict[str, float]) -> str:
    """The loss terms of an epoch as a line of text."""
    return "  ".join(f"{name} {value:.3g}" for name, value in terms.items())


def update_adapter(
    players: Players,
    objective: PrivacyObjective,
    step: Step,
    tasks: dict[str, Task],
    settings: TrainedSettings,
) -> tuple[dict[str, float], dict[str, Tensor]]:
    """One step of the adapter on Eq. 7, all others fixed; gives the terms and each task's anonymized features."""
    adapter, weights = players.adapter, settings.loss
    anonymized = {name: adapter(batch.features, batch.mask) for name, batch in step.tasks.items()}
    weighted: dict[str, tuple[float, Tensor]] = {}
    for name, batch in step.tasks.items():
        weight = weights.task * settings.task_weights.get(name, 1.0)
        weighted[f"task_{name}"] = (weight, tasks[name].loss(players.heads[name], anonymized[name], batch))
    privacy = step.privacy
    clips = adapter(privacy.clips, privacy.mask)
    change = latent_consistency(privacy.clips, clips, privacy.mask, reduction=weights.consistency_reduction)
    weighted["consistency"] = (weights.consistency, change)
    weighted |= objective.terms(adapter, privacy, clips)
    loss = torch.stack([weight * term for weight, term in weighted.values() if weight]).sum()
    take_step(players.optimizers["adapter"], loss)
    terms = {name: float(term.detach()) for name, (_, term) in weighted.items()}
    return terms, {name: features.detach() for name, features in anonymized.items()}


def update_heads(players: Players, step: Step, tasks: dict[str, Task], anonymized: dict[str, Tensor]) -> None:
    """One step of every head on its own loss; the anonymized features (B, T, D) carry no gradient to the adapter."""
    for name, batch in step.tasks.items():
        take_step(players.optimizers[name], tasks[name].loss(players.heads[name], anonymized[name], batch))


def update_observers(players: Players, objective: PrivacyObjective, step: Step) -> dict[str, float]:
    """One step of whoever tries to see through the adapter; gives their loss."""
    loss = objective.observer_loss(players.adapter, step.privacy)
    if loss is None:
        return {}
    take_step(players.optimizers["observers"], loss)
    return {"observers": float(loss.detach())}


def take_step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def assemble(
    feed: Feed, objective: PrivacyObjective, settings: TrainedSettings, *, prepared: bool = True
) -> Players:
    """The adapter and the heads, each with an optimizer.

    ``prepared``: the adapter gives its input and the heads know the raw features; else all are as they were built, for
    a checkpoint to be loaded into.
    """
    device, seed = settings.train.device, settings.train.seed
    rate = settings.train.learning_rate * min(settings.train.batch_size, len(feed.videos)) / BASE_BATCH_SIZE
    adapter = to_device(build_adapter(feed.dim, settings), device)
    if prepared:
        start_from_identity(adapter, feed, settings)
    adapter.train()
    optimizers: dict[str, torch.optim.Optimizer] = {
        "adapter": torch.optim.AdamW(adapter.parameters(), lr=rate, fused=True)
    }
    heads = nn.ModuleDict()
    for name, task in feed.tasks.items():
        make = task.starting_head if prepared and settings.train.pretrain_heads else task.build_head
        heads[name] = make(seed=seed).to(device).train()
        optimizers[name] = task.make_optimizer(heads[name], rate)
    observers = objective.observers.to(device).train()
    if list(observers.parameters()):
        optimizers["observers"] = torch.optim.AdamW(observers.parameters(), lr=objective.learning_rate)
    return Players(adapter=adapter, heads=heads, observers=observers, optimizers=optimizers)


def build_adapter(dim: int, settings: TrainedSettings) -> Adapter:
    """A fresh adapter."""
    return Adapter(
        dim=dim,
        architecture=settings.adapter.architecture,
        **settings.adapter.network_options(),
    )


def start_from_identity(adapter: Adapter, feed: Feed, settings: TrainedSettings) -> None:
    """Make the adapter give its input: exactly, or by reconstruction training."""
    if settings.adapter.init == "exact":
        make_identity(adapter)
        return
    train_reconstruction(
        adapter,
        [torch.as_tensor(sequence) for views in feed.clips.values() for sequence in views],
        epochs=settings.adapter.reconstruct_epochs,
        learning_rate=settings.adapter.reconstruct_learning_rate,
        seed=settings.train.seed,
    )


def before_and_after(adapter: Adapter, batch: PrivacyBatch) -> tuple[Tensor, Tensor]:
    """Raw and anonymized clip features (N, D) of a batch."""
    adapter.eval()
    with torch.no_grad():
        after = adapter(batch.clips, batch.mask)
    adapter.train()
    return batch.clips[batch.mask], after[batch.mask]
