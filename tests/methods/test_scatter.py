"""The directions in which one scatter is large against another, and the scatters themselves."""

import numpy as np
import pytest
import torch

from latentveil.methods import scatter
from latentveil.methods.scatter import leading_ratios, scatters


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
    found = scatters(examples)
    assert found.between.item() == pytest.approx(25)
    assert found.phases.item() == pytest.approx(25)
    assert found.within.item() == pytest.approx(1)
    assert (found.num_stretches, found.num_clips, found.clip_sum.item()) == (4, 4, 20)


def test_scatters_summed_up_in_blocks_are_those_of_all_stretches_at_once(monkeypatch):
    monkeypatch.setattr(scatter, "BLOCK_STRETCHES", 4)
    random = np.random.default_rng(0)
    examples = [
        (torch.as_tensor(random.normal(size=(3 + number % 4, 6)) + number % 3), number % 3)
        for number in range(30)
    ]
    found = scatters(examples)
    means = np.stack([stretch.numpy().mean(axis=0) for stretch, _ in examples])
    labels = np.array([label for _, label in examples])
    class_means = np.stack([means[labels == label].mean(axis=0) for label in range(3)])
    residual = means - class_means[labels]
    np.testing.assert_allclose(found.within, residual.T @ residual / 30, atol=1e-12)
    away = class_means - means.mean(axis=0)
    np.testing.assert_allclose(found.between, away.T @ away / 3, atol=1e-12)
    clips = np.concatenate([stretch.numpy() for stretch, _ in examples])
    np.testing.assert_allclose(found.clip_sum / found.num_clips, clips.mean(axis=0), atol=1e-12)
