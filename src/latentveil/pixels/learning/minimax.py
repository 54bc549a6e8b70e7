"""Minimax training in one visible loop: a start, then the two steps in turn, and a look at the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from latentveil.files.run_folder import RunFolder, first_epoch
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.learning.feed import Feed, Step
from latentveil.pixels.learning.players import Players, standing_still
from latentveil.pixels.learning.settings import LearnedSettings
from latentveil.pixels.learning.start import Start, begin_branch_again, num_rounds
from latentveil.pixels.learning.steps import (
    Game,
    anonymizer_step,
    assemble,
    make_optimizers,
    players_step,
    set_rates,
)
from latentveil.pixels.learning.watch import Watch, refuse_blank
from latentveil.progress import OnProgress, Progress, silent


def train(
    game: Game,
    feed: Feed,
    settings: LearnedSettings,
    *,
    run: RunFolder | None = None,
    on_progress: OnProgress = silent,
) -> tuple[PixelAnonymizer, Watch]:
    """Train f_A; ``run`` keeps checkpoints and the log, ``on_progress`` hears of each epoch.

    A run that was killed goes on from its last checkpoint to the very result it would have had.
    """
    chosen = settings.train
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(chosen.seed)
        start = first_epoch(run, chosen.epochs, begin=-num_rounds(feed, settings))
        players = assemble(game, feed, settings)
        if start < 0:
            Start(players, game, feed, settings, run, on_progress).go(first=start)
        players.optimizers = make_optimizers(players, chosen.rates())
        if run and start >= 0:
            run.restore(players)
        elif run:
            run.save(players, 0, last=False)
        num_turns = -(-feed.num_steps(chosen) // (1 + game.players_batches))  # rounded up
        for epoch in range(max(0, start), chosen.epochs):
            if game.restart_every and epoch and epoch % game.restart_every == 0:
                begin_branch_again(players, feed, settings, epoch=epoch)
            log = []
            steps = feed.epoch(chosen, part=2, epoch=epoch)
            for turn, (one, others) in enumerate(turns(steps, game.players_batches)):
                done = (epoch + turn / num_turns) / chosen.epochs
                set_rates(players.optimizers, chosen.rates(done=done))
                terms = anonymizer_step(players, one, game)
                for other in others:
                    terms |= players_step(players, other, game)
                log.append(terms)
            means = {name: sum(terms[name] for terms in log) / len(log) for name in log[0]}
            means["contrast"] = look_at_health(players, one, means, feed=feed, settings=settings, epoch=epoch)
            ended = epoch + 1 == chosen.epochs or reached_ceiling(players, game, means, batch=len(one.first))
            if run:
                run.log(epoch, means)
                # a training that ended early has no epoch left to go on with
                run.save(players, chosen.epochs if ended else epoch + 1, last=ended)
            on_progress(Progress("fitting", epoch + 1, chosen.epochs, note=in_words(means)))
            if ended:
                break
    assert isinstance(players.result, PixelAnonymizer)
    return players.result.eval().cpu(), players.watch


def turns(steps: Iterable[Step], others: int) -> Iterator[tuple[Step, list[Step]]]:
    """One step for f_A and the next ``others`` for the players; what is missing at the end comes from the beginning."""
    first: list[Step] = []
    waiting: list[Step] = []
    for step in steps:
        if len(first) <= others:
            first.append(step)
        waiting.append(step)
        if len(waiting) == others + 1:
            yield waiting[0], waiting[1:]
            waiting = []
    if waiting:
        while len(waiting) <= others:
            waiting += first
        yield waiting[0], waiting[1 : others + 1]


def look_at_health(
    players: Players,
    step: Step,
    means: dict[str, float],
    *,
    feed: Feed,
    settings: LearnedSettings,
    epoch: int,
) -> float:
    """How much contrast the pictures have left; a training that makes no sense any more is refused."""
    with torch.no_grad(), standing_still(players.result):
        after: Tensor = players.result(step.clips)
    contrast = refuse_blank(step.clips, after, limits=settings.health, epoch=epoch)
    players.watch.see_accuracy(means["accuracy"], num_actions=feed.num_actions, limits=settings.health)
    if "hinge_active" in means:
        players.watch.see_hinge(means["hinge_active"])
    return contrast


def reached_ceiling(players: Players, game: Game, means: dict[str, float], *, batch: int) -> bool:
    """Whether f_B can hardly tell more than by guessing, so that training may end (th_Bmax of SPAct)."""
    if game.stop_at is None or "budget" not in means:
        return False
    return means["budget"] >= game.stop_at * players.budget.ceiling(batch)


def in_words(terms: dict[str, float]) -> str:
    """The loss terms of an epoch as a line of text."""
    return "  ".join(f"{name} {value:.3g}" for name, value in terms.items())
