"""The start of an adapter: trained long enough to give its input back, and refused where it does not."""

from dataclasses import replace

import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import RECONSTRUCTIONS, Reconstruction, missed_share, train_reconstruction
from latentveil.errors import InputError, Notice

DIM = 16
FAST = Reconstruction("l1", epochs=1, learning_rate=3e-3, batch_size=8, min_steps=0, max_steps=2000)


@pytest.fixture
def sequences():
    generator = torch.Generator().manual_seed(0)
    return [5 + torch.randn(1 + number % 3, DIM, generator=generator) for number in range(32)]


def adapter(architecture="attention", **options):
    torch.manual_seed(0)
    return Adapter(dim=DIM, architecture=architecture, **{"layers": 2, "heads": 4, **options})


def test_what_is_missed_is_measured_against_the_spread(sequences):
    clips = torch.cat(sequences)
    shifted = adapter("affine", layers=None, heads=None)
    shifted.network.bias += 0.5
    expected = 0.5 / (clips - clips.mean(0)).abs().mean()
    assert missed_share(shifted, sequences, batch_size=5) == pytest.approx(float(expected), rel=1e-4)


@pytest.mark.parametrize(
    ("architecture", "attends", "loss"), [("attention", "time", "l1"), ("released", "batch", "mse")]
)
def test_reconstruction_goes_on_until_the_identity_is_reached(sequences, architecture, attends, loss):
    """100 epochs of a small set are 100 steps, which left the adapter far from the identity."""
    start = adapter(architecture, attends=attends)
    assert missed_share(start, sequences) > 0.3
    recipe = replace(FAST, loss=loss, batch_size=64)
    assert train_reconstruction(start, sequences, recipe) <= recipe.tolerance
    assert missed_share(start, sequences) <= recipe.tolerance


def test_a_start_that_is_not_the_identity_is_refused(sequences):
    recipe = replace(FAST, learning_rate=1e-6, max_steps=5)
    with pytest.raises(
        InputError, match=r"must start as the identity, .* after \d+ steps .* adapter.init=exact"
    ):
        train_reconstruction(adapter(), sequences, recipe)


def test_a_network_that_cannot_be_the_identity_is_told_of(sequences):
    with pytest.warns(
        Notice, match=r"does not start as the identity: after 12 steps .* No weights make it so"
    ):
        train_reconstruction(adapter("mlp", heads=None), sequences, replace(FAST, min_steps=12))


def test_a_minimum_of_steps_is_kept(sequences):
    steps = []
    recipe = replace(FAST, epochs=2, min_steps=21, tolerance=9.0)
    train_reconstruction(adapter(), sequences, recipe, report=lambda step, _: steps.append(step))
    assert len(steps) == 21
    steps.clear()
    train_reconstruction(
        adapter(), sequences, replace(recipe, epochs=6), report=lambda step, _: steps.append(step)
    )
    assert len(steps) == 24


def test_the_published_starts():
    paper, released = RECONSTRUCTIONS["reconstruct"], RECONSTRUCTIONS["reconstruct_mse"]
    assert (paper.loss, paper.epochs, paper.learning_rate) == ("l1", 100, 2e-5)
    assert (released.loss, released.epochs, released.learning_rate, released.batch_size) == (
        "mse",
        500,
        1e-4,
        2048,
    )
