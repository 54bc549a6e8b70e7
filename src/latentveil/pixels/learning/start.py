"""How the players begin: f_A as the identity, then f_T and f_B through it; and f_B once more, where it restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import l1_loss

from latentveil.files.run_folder import RunFolder
from latentveil.pixels.learning.feed import Feed, Step
from latentveil.pixels.learning.players import Players, standing_still, take_step
from latentveil.pixels.learning.settings import LearnedSettings
from latentveil.pixels.learning.steps import Game, make_optimizers, players_step, set_rates
from latentveil.pixels.learning.terms import gather_own, look_through, weighted_sum
from latentveil.progress import OnProgress, Progress, silent

# Parts of a training, each with random numbers of its own; the game itself is part 2.
RECONSTRUCT, START, AGAIN = 0, 1, 3
WARM_UP = 0.1  # the share of the steps in which the learning rate rises


def num_rounds(feed: Feed, settings: LearnedSettings) -> int:
    """How many rounds over the videos the start takes at the most; checkpoints count them as epochs before 0."""
    return _reconstruct_rounds(feed, settings) + settings.start.players_epochs


def _reconstruct_rounds(feed: Feed, settings: LearnedSettings) -> int:
    return -(-settings.start.reconstruct_steps // feed.num_steps(settings.train))  # rounded up


@dataclass(frozen=True)
class Start:
    """The way of all players to where the game starts; ``run`` keeps how far they have come."""

    players: Players
    game: Game
    feed: Feed
    settings: LearnedSettings
    run: RunFolder | None = None
    on_progress: OnProgress = silent

    def go(self, *, first: int) -> None:
        """Bring every player to where the game starts, from the round ``first`` on, which is below 0."""
        if first < -self.settings.start.players_epochs:
            self.reconstruct(first=first)
        self.teach_players(first=first)
        if self.game.restart_every:
            self.players.rested.load_state_dict(self.players.budget.state_dict())

    def reconstruct(self, *, first: int) -> None:
        """Train f_A to give its input (Eq. 4 and 6 of SPAct, mean L1); ``players.watch`` keeps how far off it is."""
        players, settings = self.players, self.settings
        players.optimizers = make_optimizers(players, {"anonymizer": settings.start.reconstruct_rate})
        if self.run:
            self.run.restore(players)
        begin, rounds = -num_rounds(self.feed, settings), _reconstruct_rounds(self.feed, settings)
        num_steps = self.feed.num_steps(settings.train)
        for number in range(first - begin, rounds):
            steps = self.feed.epoch(settings.train, part=RECONSTRUCT, epoch=number)
            for done, step in enumerate(steps, start=number * num_steps + 1):
                if self._near_enough(done):
                    return
                self._reconstruction_step(step, done)
            if self.run and number + 1 < rounds:
                self.run.save(players, begin + number + 1, last=False)

    def _near_enough(self, done: int) -> bool:
        chosen = self.settings.start
        level = float(self.players.watch.reconstruction)
        return done > chosen.reconstruct_steps or level <= chosen.threshold

    def _reconstruction_step(self, step: Step, done: int) -> None:
        """The ``done``-th step, 1 the first.

        What f_A minimises of itself counts here, too: who has learned to drop nothing never drops again.
        """
        players, chosen = self.players, self.settings.start
        rise = min(1.0, done / max(1.0, WARM_UP * chosen.reconstruct_steps))
        set_rates(players.optimizers, {"anonymizer": chosen.reconstruct_rate * rise})
        loss = l1_loss(players.anonymizer(step.first), step.first)
        own = gather_own(self.game.own_terms, players.anonymizer)
        take_step(players.optimizers["anonymizer"], weighted_sum({"reconstruction": (1.0, loss), **own}))
        players.watch.see_reconstruction(float(loss.detach()), first=done == 1)
        note = f"L1 {float(players.watch.reconstruction):.3f}"
        self.on_progress(Progress("reconstructing", done, chosen.reconstruct_steps, note=note))

    def teach_players(self, *, first: int) -> None:
        """Train f_T and f_B on what f_A makes, which stands still."""
        players, settings = self.players, self.settings
        rate, epochs = settings.start.players_rate, settings.start.players_epochs
        players.optimizers = make_optimizers(players, {"task": rate, "budget": rate})
        if self.run and first >= -epochs:
            self.run.restore(players)
        # a frozen f_B is one that has learned (SPAct, Table 3)
        learning = replace(self.game, branch_frozen=False)
        for epoch in range(max(0, first + epochs), epochs):
            if self.run:
                self.run.save(players, epoch - epochs, last=False)
            steps = self.feed.epoch(settings.train, part=START, epoch=epoch)
            told = [players_step(players, step, learning) for step in steps]
            right = sum(terms["player_accuracy"] for terms in told) / len(told)
            note = f"accuracy {right:.2f}"
            self.on_progress(Progress("starting f_T and f_B", epoch + 1, epochs, note=note))


def begin_branch_again(players: Players, feed: Feed, settings: LearnedSettings, *, epoch: int) -> None:
    """Put f_B back to where it started, and let it learn one epoch long from what f_A makes now (VITA)."""
    players.budget.load_state_dict(players.rested.state_dict())
    fresh = make_optimizers(players, {"budget": settings.train.budget_rate})
    players.optimizers["budget"].load_state_dict(fresh["budget"].state_dict())
    for step in feed.epoch(settings.train, part=AGAIN, epoch=epoch):
        with torch.no_grad(), standing_still(players.anonymizer):
            seen = look_through(players.anonymizer, step, private=True)
        take_step(players.optimizers["budget"], players.budget.loss(seen.first, seen.second, step.secrets))
