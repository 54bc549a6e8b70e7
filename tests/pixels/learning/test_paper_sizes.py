"""The presets of the papers: as many parameters as the papers' networks, and one true step of every player."""

from importlib import import_module

import pytest
import torch

from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings
from latentveil.pixels.learning.steps import anonymizer_step, assemble, make_optimizers, players_step
from latentveil.pixels.networks.base import count_parameters

CLASSES = 2  # of the little videos
RESNET_50, PROJECTION = 23_508_032, 2048 * 2048 + 2048 + 2048 * 128 + 128
R3D_18, C3D = 33_371_472 - (512 + 1) * 400, 78_409_573 - (4096 + 1) * 101
MOBILENET = 4_231_976 - (1024 + 1) * 1000
UNET = 17_267_523
VIT_BLOCK = 2 * 2 * 384 + (384 + 1) * 3 * 384 + (384 + 1) * 384 + (384 + 1) * 4 * 384 + (4 * 384 + 1) * 384
TUBELET = 2 * 16 * 16 * 3
VIT = (TUBELET + 1) * 384 + 392 * 384 + 12 * VIT_BLOCK + 2 * 384
# f_A, f_T and f_B by hand, None where no publication says it.
SIZES = {
    "spact": (UNET, R3D_18 + (512 + 1) * CLASSES, RESNET_50 + PROJECTION),
    "penalty": (None, None, RESNET_50 + PROJECTION),
    "tedspad": (None, None, RESNET_50 + PROJECTION),
    "vita": (None, C3D + (4096 + 1) * CLASSES, None),
    "stprivacy": (None, VIT + (384 + 1) * CLASSES, VIT + (384 + 1) * CLASSES),
}
# Fewer and smaller pictures than the papers'; the networks are theirs. C3D needs 16 frames.
FEW = ("train.batch_size=2", "train.privacy_batch_size=2", "clips.skip=1")
SMALL = ("frames=4", "size=32")
SMALL_CLIPS = {
    "spact": ("clips.size=32", "clips.frames=2"),
    "penalty": ("clips.size=32", "clips.frames=8", "task.options.pretrained=false"),
    "tedspad": ("clips.size=32", "clips.frames=8", "task.options.pretrained=false"),
    "vita": ("clips.size=32", "clips.frames=16"),
    "stprivacy": tuple(
        f"{owner}.{option}"
        for owner in ("clips", "anonymizer.options", "task.options", "reader.options")
        for option in SMALL
    ),
}


def seated(training, name, *changes):
    """The players of the preset of the paper, their game, and its feed."""
    settings = choose_settings(PIXEL_METHODS.get(name), name, changes)
    module = import_module(f"latentveil.pixels.{name}")
    feed = module.build_feed(training, settings)
    game = module.build_game(settings, feed)
    return assemble(game, feed, settings), game, feed, settings


@pytest.mark.parametrize("name", sorted(SIZES))
def test_players_have_the_papers_number_of_parameters(training, name):
    fetched = ("task.options.pretrained=false",) if name in ("penalty", "tedspad") else ()
    with torch.device("meta"):
        players, *_ = seated(training, name, "train.device=meta", *fetched)
    found = tuple(count_parameters(part) for part in (players.anonymizer, players.task, players.budget))
    assert [size for size in SIZES[name] if size] == [
        count for count, size in zip(found, SIZES[name]) if size
    ]


def test_the_four_readers_of_vita_are_two_resnets_and_two_mobilenets(training):
    with torch.device("meta"):
        players, *_ = seated(training, "vita", "train.device=meta")
    counts = [count_parameters(observer.trunk) for observer in players.budget.observers]
    assert counts[:3] == [RESNET_50, RESNET_50, MOBILENET]
    assert counts[3] < MOBILENET


@pytest.mark.parametrize("name", sorted(SIZES))
def test_one_step_at_the_papers_sizes_moves_everyone(training, name):
    torch.manual_seed(0)
    players, game, feed, settings = seated(training, name, *FEW, *SMALL_CLIPS[name])
    players.optimizers = make_optimizers(players, settings.train.rates())
    one, other = (step for step, _ in zip(feed.epoch(settings.train, part=2, epoch=0), range(2)))
    before = [next(part.parameters()).clone() for part in (players.anonymizer, players.task, players.budget)]
    told = anonymizer_step(players, one, game) | players_step(players, other, game)
    assert all(torch.isfinite(torch.tensor(list(told.values()))))
    after = [next(part.parameters()) for part in (players.anonymizer, players.task, players.budget)]
    assert all(not torch.equal(first, last) for first, last in zip(before, after))
