"""Adversarial training (Algorithm 1): adapter and task heads against a privacy objective, in one visible loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.files.run_folder import RunFolder, first_epoch
from latentveil.losses.consistency import latent_consistency
from latentveil.methods.feed import Feed, PrivacyBatch, Step
from latentveil.methods.health import examine, refuse_collapse
from latentveil.methods.players import Passed, Players, PrivacyObjective, assemble
from latentveil.methods.ranks import Ranks
from latentveil.methods.selection import is_looked_at, validation_score
from latentveil.methods.settings import TrainedSettings
from latentveil.progress import OnProgress, Progress, silent
from latentveil.tasks.base import Task


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
    the very result it would have had. ``on_progress`` hears of the start and of each epoch. Under `torchrun` several
    processes share the work.
    """
    device, epochs = settings.train.device, settings.train.epochs
    ranks = Ranks.join(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.train.seed)
        start = first_epoch(run, epochs)
        ranks.require_same(start, what="the epoch to go on with", device=device)
        if ranks.first and start < epochs:  # the start alone may take minutes
            on_progress(Progress("fitting", start, epochs, note="preparing the adapter and the heads"))
        feed = feeds(start)
        players = assemble(feed, objective, settings, prepared=start == 0, ranks=ranks)
        torch.manual_seed(settings.train.seed)
        if run:
            run.restore(players)
        ranks.wait()  # for all to have read the checkpoint before the first process writes the next one
        for epoch in range(start, epochs):
            feed = feeds(epoch) if epoch > start else feed
            log: list[dict[str, float]] = []
            for step in steps_of(feed, settings, epoch):
                terms = update_adapter_and_heads(players, objective, step, feed.tasks, settings)
                log.append(terms | update_observers(players, objective, step))
            means = {name: sum(terms[name] for terms in log) / len(log) for name in log[0]}
            means |= look_at(players, feed.tasks, settings, epoch)
            health = examine(*before_and_after(players.adapter, step.privacy))
            refuse_collapse(health, epoch)
            if run and ranks.first:
                run.log(epoch, {**means, **health.to_dict()})
                run.save(players, epoch + 1, last=epoch + 1 == epochs)
            if ranks.first:
                on_progress(Progress("fitting", epoch + 1, epochs, note=in_words(means)))
    if players.best.weights:
        players.adapter.load_state_dict(players.best.weights)
    return players.adapter.eval().cpu()


def steps_of(feed: Feed, settings: TrainedSettings, epoch: int) -> Iterator[Step]:
    run = settings.train
    for step in feed.epoch(run.batch_size, seed=run.seed, epoch=epoch, ends=run.epoch_ends):
        yield step.to(run.device)


def in_words(terms: dict[str, float]) -> str:
    """The loss terms of an epoch as a line of text."""
    return "  ".join(f"{name} {value:.3g}" for name, value in terms.items())


def update_adapter_and_heads(
    players: Players,
    objective: PrivacyObjective,
    step: Step,
    tasks: dict[str, Task],
    settings: TrainedSettings,
) -> dict[str, float]:
    """One step of the adapter on Eq. 7 and of every head on its loss, the observers fixed; gives the terms."""
    anonymized = {
        name: players.ranks.anonymized(
            players.adapter, batch.features, batch.mask, alone=tasks[name].trains_alone
        )
        for name, batch in step.tasks.items()
    }
    weighted = task_terms(players, step, tasks, anonymized, settings)
    passed = Passed(players.adapter, step.privacy, players.ranks)
    weighted["consistency"] = (settings.loss.consistency, consistency(passed, step, anonymized, settings))
    weighted |= objective.terms(passed)
    loss = torch.stack([weight * term for weight, term in weighted.values() if weight]).sum()
    players.take_step(loss, "adapter", *step.tasks)
    return {name: float(term.detach()) for name, (_, term) in weighted.items()}


def task_terms(
    players: Players,
    step: Step,
    tasks: dict[str, Task],
    anonymized: dict[str, Tensor],
    settings: TrainedSettings,
) -> dict[str, tuple[float, Tensor]]:
    """The loss of each head on anonymized features (B, T, D), with its weight in the sum.

    Where heads learn by their own loss, it has weight 1 in the sum, and its task's weight is put on the gradient where
    that leaves the head for the adapter.
    """
    terms = {}
    for name, batch in step.tasks.items():
        weight, features = settings.loss.task * settings.task_weights.get(name, 1.0), anonymized[name]
        if settings.train.head_gradients == "own":
            weight, features = 1.0, scale_gradient(features, weight)
        terms[f"task_{name}"] = (weight, tasks[name].loss(players.heads[name], features, batch))
    return terms


def scale_gradient(features: Tensor, factor: float) -> Tensor:
    """The same features; what flows back through them is multiplied by ``factor``."""
    return features.detach() + factor * (features - features.detach())


def consistency(
    passed: Passed, step: Step, anonymized: dict[str, Tensor], settings: TrainedSettings
) -> Tensor:
    """How far what must stay near its input has moved (Eq. 6), a scalar."""
    reduction = settings.loss.consistency_reduction
    if settings.loss.consistency_on == "clips":
        batch = passed.batch
        return latent_consistency(batch.clips, passed.clips, batch.mask, reduction=reduction)
    if "action" in step.tasks and settings.task_weights.get("action", 1.0) * settings.loss.task:
        action = step.tasks["action"]
        return latent_consistency(action.features, anonymized["action"], action.answered, reduction=reduction)
    before = torch.stack([passed.batch.first, passed.batch.second], dim=1)  # (B, 2, D)
    after = torch.stack([passed.first, passed.second], dim=1)
    everything = torch.ones_like(before[..., 0], dtype=torch.bool)
    return latent_consistency(before, after, everything, reduction=reduction)


def update_observers(players: Players, objective: PrivacyObjective, step: Step) -> dict[str, float]:
    """One step of whoever tries to see through the adapter; gives their loss."""
    loss = objective.observer_loss(players.adapter, step.privacy)
    if loss is None:
        return {}
    players.take_step(loss, "observers")
    return {"observers": float(loss.detach())}


def look_at(
    players: Players, tasks: dict[str, Task], settings: TrainedSettings, epoch: int
) -> dict[str, float]:
    """Offer the adapter to the choice of the best epoch, if there is one; gives its score on validation videos."""
    chooses = settings.train.keep == "best_validation" and "action" in tasks
    if not chooses or not is_looked_at(epoch, settings.train.epochs):
        return {}
    score = validation_score(players.adapter, players.heads["action"], tasks["action"])
    players.best.offer(players.adapter, score, epoch)
    return {"validation_action": score}


def before_and_after(adapter: Adapter, batch: PrivacyBatch) -> tuple[Tensor, Tensor]:
    """Raw and anonymized clip features (N, D) of a batch."""
    adapter.eval()
    with torch.no_grad():
        after = adapter(batch.clips, batch.mask)
    adapter.train()
    return batch.clips[batch.mask], after[batch.mask]
