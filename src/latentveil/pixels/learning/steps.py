"""The two steps of minimax training, each by its name: f_A moves while f_T and f_B stand still, then they move."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import nn

from latentveil.machine.devices import to_device
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.learning.feed import Feed, Step
from latentveil.pixels.learning.observers import PrivacyBranch
from latentveil.pixels.learning.players import (
    ActionClassifier,
    Players,
    moving_average,
    standing_still,
    take_step,
)
from latentveil.pixels.learning.settings import LearnedSettings
from latentveil.pixels.learning.terms import OwnTerm, Term, gather, gather_own, look_through, weighted_sum
from latentveil.pixels.learning.watch import Watch


@dataclass(frozen=True)
class Game:
    """What tells one system from another: ``branch`` builds f_B.

    ``terms`` are what f_A minimises, ``own_terms`` too, and those already while it learns to give its input;
    ``task_terms`` are what f_T does; f_B lowers its own loss unless it is ``branch_frozen``. For each batch of f_A the
    others get ``players_batches``; f_T rests on a batch of which it gets ``task_enough`` right. f_B begins again from
    its start every ``restart_every`` epochs. Training ends when L_B is at ``stop_at`` of its ceiling. ``projected``:
    how many numbers the triplet compares.
    """

    branch: Callable[[], PrivacyBranch]
    terms: tuple[Term, ...]
    task_terms: tuple[Term, ...]
    own_terms: tuple[OwnTerm, ...] = ()
    branch_frozen: bool = False
    players_batches: int = 1
    task_enough: float = 1.0
    restart_every: int | None = None
    stop_at: float | None = None
    projected: int | None = None


def assemble(game: Game, feed: Feed, settings: LearnedSettings) -> Players:
    """The players as they are built, without optimizers."""
    chosen = settings.anonymizer
    anonymizer = PixelAnonymizer(
        architecture="trained",
        network=chosen.architecture,
        network_options=chosen.options,
        size=settings.clips.size,
        frames=settings.clips.frames,
    )
    task = ActionClassifier(settings.task, classes=feed.num_actions, projected=game.projected)
    branch = game.branch()
    for part in (anonymizer, task, branch):
        to_device(part, settings.train.device).train()
    rested = deepcopy(branch) if game.restart_every else nn.Module()
    kept = settings.train.average
    average = moving_average(anonymizer, keeps=kept) if kept else None
    return Players(
        anonymizer=anonymizer, task=task, budget=branch, watch=Watch(), rested=rested, average=average
    )


def make_optimizers(players: Players, rates: dict[str, float]) -> dict[str, torch.optim.Optimizer]:
    """An Adam for every player in ``rates`` who has something to learn, at this learning rate."""
    found: dict[str, torch.optim.Optimizer] = {}
    for name, rate in rates.items():
        learners = [value for value in getattr(players, name).parameters() if value.requires_grad]
        if learners:
            found[name] = torch.optim.Adam(learners, lr=rate)
    return found


def set_rates(optimizers: dict[str, torch.optim.Optimizer], rates: dict[str, float]) -> None:
    """Give every optimizer the learning rate of its player."""
    for name, optimizer in optimizers.items():
        for group in optimizer.param_groups:
            group["lr"] = rates[name]


def anonymizer_step(players: Players, step: Step, game: Game) -> dict[str, float]:
    """Step 1: f_A moves on its terms, and its average with it; f_T and f_B stand still and pass gradients on."""
    with standing_still(players.task, players.budget):
        seen = look_through(players.anonymizer, step, private=players.budget.looks)
        terms = gather(game.terms, players, step, seen) | gather_own(game.own_terms, players.anonymizer)
        take_step(players.optimizers["anonymizer"], weighted_sum(terms))
    if players.average is not None:
        players.average.update_parameters(players.anonymizer)
    return {name: float(term.detach()) for name, (_, term) in terms.items()}


def players_step(players: Players, step: Step, game: Game) -> dict[str, float]:
    """Step 2, on the next batch: f_T and f_B move, each on its own loss; f_A stands still and gets no gradient."""
    with torch.no_grad(), standing_still(players.anonymizer):
        seen = look_through(players.anonymizer, step, private=players.budget.looks)
    terms = gather(game.task_terms, players, step, seen)
    if float(terms["accuracy"][1]) < game.task_enough or game.task_enough >= 1:
        take_step(players.optimizers["task"], weighted_sum(terms))
    told = {f"player_{name}": float(term.detach()) for name, (_, term) in terms.items()}
    if not players.budget.looks or game.branch_frozen:
        return told
    loss = players.budget.loss(seen.first, seen.second, step.secrets)
    take_step(players.optimizers["budget"], loss)
    players.budget.after_update()
    return {**told, "player_budget": float(loss.detach())}
