"""How the players begin: f_A as the identity, then f_T and f_B through it; and f_B once more, where it restarts."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice

import torch
from torch.nn.functional import l1_loss

from latentveil.pixels.learning.feed import Feed
from latentveil.pixels.learning.players import Players, standing_still, take_step
from latentveil.pixels.learning.settings import LearnedSettings
from latentveil.pixels.learning.steps import Game, make_optimizers, players_step
from latentveil.pixels.learning.terms import gather_own, look_through, weighted_sum
from latentveil.progress import OnProgress, Progress, silent

# Parts of a training, each with random numbers of its own; the game itself is part 2.
RECONSTRUCT, START, AGAIN = 0, 1, 3
WARM_UP = 0.1  # the share of the steps in which the learning rate rises
SMOOTH = 0.8  # how much of the mean of L1 so far stays


def begin(
    players: Players, game: Game, feed: Feed, settings: LearnedSettings, *, on_progress: OnProgress = silent
) -> None:
    """Bring every player to where the game starts."""
    reconstruct(players, game, feed, settings, on_progress=on_progress)
    rate = settings.start.players_rate
    players.optimizers = make_optimizers(players, {"task": rate, "budget": rate})
    epochs = settings.start.players_epochs
    learning = replace(game, branch_frozen=False)  # a frozen f_B is one that has learned (SPAct, Table 3)
    for epoch in range(epochs):
        told = [
            players_step(players, step, learning)
            for step in feed.epoch(settings.train, part=START, epoch=epoch)
        ]
        right = sum(terms["player_accuracy"] for terms in told) / len(told)
        on_progress(Progress("starting f_T and f_B", epoch + 1, epochs, note=f"accuracy {right:.2f}"))
    if game.restart_every:
        players.rested.load_state_dict(players.budget.state_dict())


def reconstruct(
    players: Players, game: Game, feed: Feed, settings: LearnedSettings, *, on_progress: OnProgress = silent
) -> float:
    """Train f_A to give its input (Eq. 4 and 6 of SPAct, mean L1), and say how far off it is at the end.

    What f_A minimises of itself counts here, too: who has learned to drop nothing never drops again.
    """
    chosen, level = settings.start, 1.0
    optimizer = torch.optim.Adam(players.anonymizer.parameters(), lr=chosen.reconstruct_rate)
    steps = (step for epoch in count() for step in feed.epoch(settings.train, part=RECONSTRUCT, epoch=epoch))
    for number, step in enumerate(islice(steps, chosen.reconstruct_steps), start=1):
        rise = min(1.0, number / max(1.0, WARM_UP * chosen.reconstruct_steps))
        optimizer.param_groups[0]["lr"] = chosen.reconstruct_rate * rise
        loss = l1_loss(players.anonymizer(step.first), step.first)
        own = gather_own(game.own_terms, players.anonymizer)
        take_step(optimizer, weighted_sum({"reconstruction": (1.0, loss), **own}))
        level = SMOOTH * level + (1 - SMOOTH) * float(loss.detach()) if number > 1 else float(loss.detach())
        on_progress(Progress("reconstructing", number, chosen.reconstruct_steps, note=f"L1 {level:.3f}"))
        if level <= chosen.threshold:
            break
    return level


def begin_branch_again(players: Players, feed: Feed, settings: LearnedSettings, *, epoch: int) -> None:
    """Put f_B back to where it started, and let it learn one epoch long from what f_A makes now (VITA)."""
    players.budget.load_state_dict(players.rested.state_dict())
    fresh = make_optimizers(players, {"budget": settings.train.budget_rate})
    players.optimizers["budget"].load_state_dict(fresh["budget"].state_dict())
    for step in feed.epoch(settings.train, part=AGAIN, epoch=epoch):
        with torch.no_grad(), standing_still(players.anonymizer):
            seen = look_through(players.anonymizer, step, private=True)
        take_step(players.optimizers["budget"], players.budget.loss(seen.first, seen.second, step.secrets))
