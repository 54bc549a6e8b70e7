"""Convergence: a rule on weighted training losses that spikes of single epochs do not upset."""

import numpy as np
import pytest

from latentveil.bench.convergence import describe_training, drift, drift_of, standard_error, weighted_terms
from latentveil.methods.plan import load_config

CONFIG = load_config("paper", ("loss.consistency=100", "loss.static=2", "task_weights.action=3")).settings


def log(static, *, task=0.0, consistency=0.0):
    return [
        {
            "epoch": epoch,
            "task_action": task,
            "consistency": consistency,
            "static": value,
            "variance_ratio": 1.0,
        }
        for epoch, value in enumerate(static)
    ]


def test_terms_carry_their_weights_and_what_is_no_loss_is_left_out():
    np.testing.assert_allclose(
        weighted_terms(log([5.0], task=0.5, consistency=0.01), CONFIG), [[1.5, 1.0, 10.0]]
    )
    without = load_config("paper", ("loss.static=0",)).settings
    assert weighted_terms(log([5.0]), without).shape == (1, 2)


def test_drift_by_hand():
    # Ten epochs: fifths of two. The budget rose from 0 to 10, and by 1 from the fourth fifth to the last.
    assert drift(log([0, 1, 2, 3, 5, 7, 9, 9, 10, 10]), CONFIG) == pytest.approx(0.1)
    assert not describe_training(log([0, 1, 2, 3, 5, 7, 9, 9, 10, 10]), CONFIG)["converged"]


def test_the_term_that_moves_most_for_its_weight_decides():
    moving = log([0, 5, 5, 5, 5, 5, 5, 5, 5, 5])
    for line, value in zip(moving[-4:], (0.0, 0.0, 0.05, 0.05)):
        line["consistency"] = value  # times 100 it moves by 5, where the budget moved by 10 in all
    assert drift(moving, CONFIG) == pytest.approx(0.5)


def test_a_spike_is_not_movement():
    calm = [0.0] + [10.0] * 29
    spiked = calm.copy()
    spiked[-2] = 400.0
    assert drift(log(spiked), CONFIG) == drift(log(calm), CONFIG) == 0


def test_losses_that_never_moved_are_at_rest_and_too_few_epochs_say_nothing():
    assert drift(log([5.0, 5.0, 5.0, 5.02, 5.04]), CONFIG) < 0.05  # twice 0.02 nats, of 2
    assert not describe_training(log([5.0] * 4), CONFIG)["converged"]


def test_a_description_shows_the_losses_themselves():
    found = describe_training(log([0, 1, 2, 3, 5, 7, 10, 10, 10, 10], task=0.5), CONFIG)
    assert found["epochs"] == 10
    assert found["first"] == {"task_action": 0.5, "consistency": 0, "static": 0}
    assert found["last"] == {"task_action": 0.5, "consistency": 0, "static": 10}
    assert found["drift"] == 0
    assert found["converged"]


def test_the_standard_error_is_that_of_the_difference_of_two_medians():
    random = np.random.default_rng(0)
    parts = random.normal(size=(20_000, 2, 9))  # of standard deviation 1
    found = np.diff(np.median(parts, axis=2), axis=1).std()
    told = np.mean([standard_error(part[..., None])[0] for part in parts[:500]])
    assert told == pytest.approx(found, rel=0.1)


def test_what_scatters_alike_for_ever_is_at_rest_beyond_luck_and_what_still_falls_is_not():
    random = np.random.default_rng(1)

    def moves(slope):
        """Of 200 trainings of 20 epochs, how many still move by more than the tolerance."""
        lines = slope * np.arange(20) + 0.2 * random.normal(size=(200, 20))
        return [
            np.mean([drift_of(line[:, None], beyond_luck=luck) > 0.05 for line in lines]) for luck in (0, 1)
        ]

    plain, beyond = moves(slope=0.0)
    assert plain > 0.35, "noise alone passes for a move"
    assert beyond < 0.15
    assert moves(slope=0.15)[1] > 0.85, "0.6 nats from fifth to fifth are no luck"
