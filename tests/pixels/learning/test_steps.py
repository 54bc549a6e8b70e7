"""Each player moves only in its own step, and gradients go only where the algorithm says."""

import pytest
import torch

from latentveil.pixels.learning import terms
from latentveil.pixels.learning.feed import Pairs, make_feed
from latentveil.pixels.learning.observers import SecretReaders, build_branch, build_observer
from latentveil.pixels.learning.players import standing_still
from latentveil.pixels.learning.steps import Game, anonymizer_step, assemble, make_optimizers, players_step

from .conftest import settings_of


def weights(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


def moved(module, before):
    """Whether anything of a module has changed, statistics of batch norm included."""
    return any(not torch.equal(value, before[name]) for name, value in module.state_dict().items())


def make(training, name="spact", *changes, extra=(), **options):
    settings = settings_of(name, *changes)
    feed = make_feed(training, settings.clips, pairs=Pairs(), secrets=True)
    game = Game(
        branch=lambda: build_branch(settings.budget),
        terms=(terms.Action(), terms.Budget(1.0), *extra),
        task_terms=(terms.Action(),),
        **options,
    )
    torch.manual_seed(0)
    players = assemble(game, feed, settings)
    players.optimizers = make_optimizers(players, settings.train.rates())
    return players, game, next(iter(feed.epoch(settings.train, part=0, epoch=0)))


def test_in_the_anonymizers_step_it_alone_moves(training):
    players, game, step = make(training)
    before = {name: weights(getattr(players, name)) for name in ("anonymizer", "task", "budget")}
    told = anonymizer_step(players, step, game)
    assert {name for name in before if moved(getattr(players, name), before[name])} == {"anonymizer"}
    assert {"task", "budget", "accuracy"} <= set(told)
    assert all(value.grad is None for part in (players.task, players.budget) for value in part.parameters())


def test_in_the_players_step_the_anonymizer_stands_still(training):
    players, game, step = make(training)
    before = {name: weights(getattr(players, name)) for name in ("anonymizer", "task", "budget")}
    players_step(players, step, game)
    assert {name for name in before if moved(getattr(players, name), before[name])} == {"task", "budget"}
    assert all(value.grad is None for value in players.anonymizer.parameters())


def test_of_a_frozen_f_t_only_what_is_behind_the_trunk_moves(training):
    players, game, step = make(training, "spact", "task.frozen=true")
    trunk, head = weights(players.task.trunk), weights(players.task.head)
    players_step(players, step, game)
    assert not moved(players.task.trunk, trunk)
    assert moved(players.task.head, head)


def test_a_frozen_branch_never_moves(training):
    players, game, step = make(training, branch_frozen=True)
    before = weights(players.budget)
    players_step(players, step, game)
    assert not moved(players.budget, before)


def test_the_anonymizer_lowers_the_task_loss_and_raises_the_budget(training):
    """Along its gradient, with a small enough step, L_T - L_B falls."""
    players, game, step = make(training)
    players.optimizers["anonymizer"] = torch.optim.SGD(players.anonymizer.parameters(), lr=1.0)
    first = anonymizer_step(players, step, game)
    second = anonymizer_step(players, step, game)
    assert second["task"] - second["budget"] < first["task"] - first["budget"]


def test_the_penalty_reaches_the_clips_of_actions_alone(training):
    players, _, step = make(training)
    hinge = terms.Penalty(1.0, 0.0)
    with standing_still(players.task, players.budget):
        seen = terms.look_through(players.anonymizer, step, private=True)
        seen.clips.retain_grad()
        seen.first.retain_grad()
        hinge(players, step, seen)["penalty"][1].backward()
    assert seen.clips.grad.abs().sum() > 0
    assert seen.first.grad is None


def test_the_feature_penalty_compares_what_the_classifier_sees(training):
    players, _, step = make(training)
    unchanged = terms.Seen(clips=step.clips, first=step.first, second=step.second)
    hinge = terms.Penalty(1.0, 1e-5, space="feature")
    with standing_still(players.task):
        told = hinge(players, step, unchanged)
        assert told["penalty"][1].item() == 0
        inverted = terms.Seen(clips=1 - step.clips, first=step.first, second=step.second)
        assert hinge(players, step, inverted)["penalty"][1].item() > 0


def test_the_imagenet_scale_measures_larger_changes(training):
    players, _, step = make(training)
    seen = terms.Seen(clips=1 - step.clips, first=step.first, second=step.second)
    unit, imagenet = (
        terms.Penalty(1.0, 0.0, scale=scale)(players, step, seen)["penalty"][1].item()
        for scale in ("unit", "imagenet")
    )
    assert imagenet / unit == pytest.approx(1 / 0.226, rel=0.05)


def test_confusion_moves_the_anonymizer_but_no_reader(training):
    settings = settings_of("vita")
    feed = make_feed(training, settings.clips, pairs=Pairs(), secrets=True)
    game = Game(
        branch=lambda: SecretReaders(
            [build_observer("mobilenet", {"width": 2}, out=2, hidden=None, clips=False)], classes=[2]
        ),
        terms=(terms.Action(0.0), terms.Confusion(1.0)),
        task_terms=(terms.Action(),),
    )
    players = assemble(game, feed, settings)
    players.optimizers = make_optimizers(players, settings.train.rates())
    before = weights(players.budget), weights(players.anonymizer)
    anonymizer_step(players, next(iter(feed.epoch(settings.train, part=0, epoch=0))), game)
    assert not moved(players.budget, before[0])
    assert moved(players.anonymizer, before[1])


@pytest.mark.parametrize("loss", ["moco", "rotnet", "nt_xent"])
def test_every_self_supervised_loss_plays(training, loss):
    players, game, step = make(training, "spact", f"budget.loss={loss}", "budget.queue=8")
    before = weights(players.budget)
    assert anonymizer_step(players, step, game)["budget"] > 0
    assert not moved(players.budget, before)
    players_step(players, step, game)
    assert moved(players.budget, before)


def test_moco_remembers_keys_in_a_ring_and_its_copy_follows_slowly(training):
    players, game, step = make(training, "spact", "budget.loss=moco", "budget.queue=6", "budget.momentum=0.5")
    before = weights(players.budget)
    players_step(players, step, game)  # four keys
    branch = players.budget
    changed = (branch.earlier != before["earlier"]).any(dim=1)
    assert changed.tolist() == [True] * 4 + [False] * 2
    for name, slow in branch.slow.named_parameters():
        old, fast = before[f"slow.{name}"], branch.observer.get_parameter(name)
        assert torch.allclose(slow, (old + fast) / 2)
    counts = [value for name, value in branch.slow.named_buffers() if name.endswith("num_batches_tracked")]
    assert [int(count) for count in counts] == [1] * len(counts)  # each view moves its statistics once
    players_step(players, step, game)
    assert int(branch.place) == 2


def test_two_architectures_can_look_together(training):
    players, game, step = make(training, "spact", "budget.also=mobilenet", "budget.also_options.width=2")
    assert len(players.budget.observers) == 2
    assert anonymizer_step(players, step, game)["budget"] > 0


def test_standing_still_ends_as_it_began(training):
    players, _, _ = make(training, "spact", "task.frozen=true")
    learners = [value.requires_grad for value in players.task.parameters()]
    modes = [part.training for part in players.task.modules()]
    with standing_still(players.task):
        assert not any(value.requires_grad for value in players.task.parameters())
        assert not players.task.training
    assert [value.requires_grad for value in players.task.parameters()] == learners
    assert [part.training for part in players.task.modules()] == modes
    assert len(set(modes)) == 2
