"""The directions in which one scatter is large against another, and the scatters themselves."""

import numpy as np
import pytest
import torch

from latentveil.methods.scatter import leading_ratios, scatters, second_moment


def random_scatters():
    random = np.random.default_rng(0)
    one, two = (torch.as_tensor(random.normal(size=(6, 6))) for _ in range(2))
    return one @ one.T, two @ two.T + torch.eye(6), random


def test_directions_maximise_the_ratio():
    wanted, unwanted, random = random_scatters()
    ratios, axes = leading_ratios(wanted, unwanted)

    def ratio(v):
        return (v @ wanted @ v) / (v @ unwanted @ v)

    assert all(ratio(axes[:, 0]) >= ratio(torch.as_tensor(random.normal(size=6))) for _ in range(200))
    assert ratio(axes[:, 0]).item() == pytest.approx(
        torch.linalg.eigvals(torch.linalg.solve(unwanted, wanted)).real.max().item()
    )
    torch.testing.assert_close(torch.stack([ratio(axis) for axis in axes.T]), ratios)
    assert (ratios.diff() <= 0).all()


def test_directions_have_unit_size_in_what_is_unwanted_and_do_not_mix():
    wanted, unwanted, _ = random_scatters()
    ratios, axes = leading_ratios(wanted, unwanted)
    torch.testing.assert_close(axes.T @ unwanted @ axes, torch.eye(6, dtype=torch.double))
    torch.testing.assert_close(axes.T @ wanted @ axes, torch.diag(ratios))


def test_scatters_of_two_classes_by_hand():
    """Class 0 at -1 and 1, class 1 at 9 and 11 in one dimension; stretches of one clip, so phases say the same."""
    examples = [
        (torch.tensor([[value]], dtype=torch.double), label)
        for value, label in ((-1, 0), (1, 0), (9, 1), (11, 1))
    ]
    between, phases, within = scatters(examples)
    assert between.item() == pytest.approx(25)
    assert phases.item() == pytest.approx(25)
    assert second_moment(within).item() == pytest.approx(1)
