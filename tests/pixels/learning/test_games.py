"""Every learned system in its own game: who moves in which step, where gradients go, and what collapse gives."""

from importlib import import_module

import pytest
import torch

from latentveil.cli import main
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings
from latentveil.pixels.learning.start import Start, begin_branch_again, num_rounds
from latentveil.pixels.learning.steps import anonymizer_step, assemble, make_optimizers, players_step
from latentveil.pixels.learning.terms import gather, look_through
from latentveil.pixels.networks.tubelet_dropper import TubeletDropper
from latentveil.testing import check_pixel_method

from .conftest import CLIPS, SMALLEST, TRAIN, settings_of

LEARNED = sorted(SMALLEST)
PLAYERS = ("anonymizer", "task", "budget")
OTHER_GAMES = [
    ("spact", "budget.branch=frozen"),
    ("spact", "budget.branch=none"),
    ("spact", "budget.loss=moco"),
    ("spact", "budget.loss=rotnet"),
    ("penalty", "penalty.space=feature"),
    ("penalty", "penalty.scale=imagenet"),
]


class Table:
    """Players of a system at the smallest size, and a step for them."""

    def __init__(self, training, name, *changes):
        self.settings = settings_of(name, *changes)
        module = import_module(f"latentveil.pixels.{name}")
        self.feed = module.build_feed(training, self.settings)
        self.game = module.build_game(self.settings, self.feed)
        torch.manual_seed(0)
        self.players = assemble(self.game, self.feed, self.settings)
        self.players.optimizers = make_optimizers(self.players, self.settings.train.rates())
        self.step = next(iter(self.feed.epoch(self.settings.train, part=0, epoch=0)))

    def moved(self, act):
        """Who has changed by ``act``, statistics of batch norm included."""
        before = {name: self._weights(name) for name in PLAYERS}
        act()
        return {name for name in PLAYERS if not self._same(before[name], self._weights(name))}

    def _weights(self, name):
        return {key: value.clone() for key, value in getattr(self.players, name).state_dict().items()}

    @staticmethod
    def _same(first, second):
        return all(torch.equal(value, second[key]) for key, value in first.items())

    def gradients(self, *names):
        return [value.grad for name in names for value in getattr(self.players, name).parameters()]


def start_of(table):
    """The start of a training, and the first of its rounds."""
    start = Start(table.players, table.game, table.feed, table.settings)
    return start, -num_rounds(table.feed, table.settings)


@pytest.fixture(params=[(name,) for name in LEARNED] + OTHER_GAMES, ids="-".join)
def table(request, training):
    return Table(training, *request.param)


def test_in_step_one_the_anonymizer_alone_moves_and_the_others_get_no_gradient(table):
    moved = table.moved(lambda: anonymizer_step(table.players, table.step, table.game))
    assert moved == {"anonymizer"}
    assert all(gradient is None for gradient in table.gradients("task", "budget"))
    assert any(
        gradient is not None and gradient.abs().sum() > 0 for gradient in table.gradients("anonymizer")
    )


def test_in_step_two_the_anonymizer_stands_still_and_gets_no_gradient(table):
    moved = table.moved(lambda: players_step(table.players, table.step, table.game))
    plays = table.players.budget.looks and not table.game.branch_frozen
    assert moved == ({"task", "budget"} if plays else {"task"})
    assert all(gradient is None for gradient in table.gradients("anonymizer"))


def test_in_the_reconstruction_the_anonymizer_alone_moves(table):
    start, first = start_of(table)
    assert table.moved(lambda: start.reconstruct(first=first)) == {"anonymizer"}


def test_who_drops_tubelets_still_does_after_the_reconstruction(training):
    """By L1 alone nothing is dropped soon, for good: from a sure choice there is no way back."""
    table = Table(training, "stprivacy", "start.reconstruct_steps=150", "start.reconstruct_rate=0.01")
    start, first = start_of(table)
    start.reconstruct(first=first)
    dropper = next(part for part in table.players.anonymizer.modules() if isinstance(part, TubeletDropper))
    dropper.take_share_error()
    table.players.anonymizer(table.step.clips)
    assert dropper.take_share_error().item() < 0.05


def test_a_branch_that_will_be_frozen_learns_at_the_start(training):
    """SPAct's frozen f_B is a pretrained one: a network that never learned would remove little for that reason."""
    table = Table(training, "spact", "budget.branch=frozen")
    start, first = start_of(table)
    assert "budget" in table.moved(lambda: start.go(first=first))


def test_each_player_of_step_two_learns_from_its_own_loss(table):
    """The loss of f_T gives f_B no gradient, and that of f_B none to f_T."""
    with torch.no_grad():
        seen = look_through(table.players.anonymizer, table.step, private=table.players.budget.looks)
    terms = gather(table.game.task_terms, table.players, table.step, seen)
    terms["task"][1].backward()
    assert all(gradient is None for gradient in table.gradients("budget", "anonymizer"))
    table.players.task.zero_grad()
    if table.players.budget.looks:
        table.players.budget.loss(seen.first, seen.second, table.step.secrets).backward()
        assert all(gradient is None for gradient in table.gradients("task", "anonymizer"))


def test_a_branch_that_begins_again_moves_alone(training):
    table = Table(training, "vita")
    table.players.rested.load_state_dict(table.players.budget.state_dict())
    act = lambda: begin_branch_again(table.players, table.feed, table.settings, epoch=1)  # noqa: E731
    assert table.moved(act) == {"budget"}


@pytest.mark.parametrize("name", LEARNED)
def test_a_learned_method_keeps_the_contract(name):
    """Shapes, range, determinism, weights byte for byte when saved and loaded, and after a kill."""
    check_pixel_method(name, changes=[*CLIPS, *TRAIN, *SMALLEST[name]])


@pytest.mark.parametrize("name", LEARNED)
def test_a_collapsed_training_ends_with_status_4(name, little_videos, tmp_path, capsys):
    changes = [*CLIPS, *TRAIN, *SMALLEST[name], "health.chance=2", "health.patience=1", "train.epochs=1"]
    words = ["fit", little_videos, "--labels", little_videos / "labels.csv", "--method", name]
    words += ["-o", tmp_path / "f_a", *(word for change in changes for word in ("--set", change))]
    if not main.app.registered_commands:
        main._add_subcommands()  # once only
    assert main.run([str(word) for word in words]) == 4
    assert "f_T must tell actions apart" in capsys.readouterr().err
    assert not (tmp_path / "f_a" / "config.json").exists()


def test_a_pair_for_the_privacy_branch_is_cut_out_at_one_place(training):
    changes = (
        "clips.flip=false",
        "clips.jitter=0",
        "clips.erase=0",
        "budget.min_distance=0",
        "budget.max_distance=0",
    )
    table = Table(training, "spact", *changes)
    assert torch.equal(table.step.first, table.step.second)  # the same frame twice


def test_the_other_moment_of_a_triplet_is_another_one(training):
    plain = ("clips.crop=1", "clips.flip=false", "clips.jitter=0", "clips.erase=0", "clips.frames=7")
    table = Table(training, "tedspad", *plain)  # videos of eight frames: there are two clips to choose from
    for epoch in range(4):
        for step in table.feed.epoch(table.settings.train, part=0, epoch=epoch):
            assert (step.clips != step.other_time).flatten(1).any(dim=1).all()


def test_another_network_comes_without_the_options_of_the_first():
    changes = ["budget.architecture=mobilenet", "budget.options.width=4"]
    found = choose_settings(PIXEL_METHODS.get("spact"), "tiny", changes)
    assert found.budget.options == {"width": "4"}  # no depth
