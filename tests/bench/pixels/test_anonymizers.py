"""Anonymizers of rows: whether a training rests is told by the terms that count, each with its weight."""

from latentveil.bench.pixels.anonymizers import Made, weights_of
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings


def settings_of(name, *changes):
    return choose_settings(PIXEL_METHODS.get(name), "tiny", list(changes))


def test_weights_are_those_of_the_loss():
    settings = settings_of("penalty", "penalty.weight=0.3", "budget.weight=2")
    assert weights_of(settings) == {"task": 1.0, "budget": 2.0, "penalty": 0.3}


def made(*changes):
    """A training whose budget and task rest, and whose hinge does not."""
    log = [{"task": 1.0, "budget": 3.0, "penalty": 0.3 * epoch, "epoch": epoch} for epoch in range(20)]
    return Made(None, log, weights=weights_of(settings_of("penalty", *changes)))


def test_a_term_that_does_not_count_may_move():
    assert not made("penalty.weight=1").training()["converged"]
    assert made("penalty.weight=0").training()["converged"]
