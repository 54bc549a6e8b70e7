"""Smoothness against plain loops, a value worked by hand, and the signs of its gradient."""

from __future__ import annotations

import pytest
import torch

from latentveil.losses.smoothness import smoothness


def test_equals_plain_loops_within_the_real_part_of_each_video():
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(5, 9, generator=generator, dtype=torch.double)
    lengths = [9, 4, 1, 6, 2]
    mask = torch.arange(9) < torch.tensor(lengths)[:, None]
    expected = sum(
        float(scores[b, t + 1] - scores[b, t]) ** 2
        for b, length in enumerate(lengths)
        for t in range(length - 1)
    )
    assert smoothness(scores, mask).item() == pytest.approx(expected, rel=1e-12)


def test_value_by_hand_does_not_cross_from_one_video_to_the_next():
    assert smoothness(torch.tensor([[0.0, 1.0, 0.5], [0.0, 0.0, 0.2]])).item() == pytest.approx(
        1 + 0.25 + 0.04
    )


def test_gradient_pulls_a_peak_down_and_its_neighbours_up():
    scores = torch.tensor([[0.1, 0.9, 0.1]], requires_grad=True)
    smoothness(scores).backward()
    assert scores.grad[0, 1] > 0
    assert (scores.grad[0, [0, 2]] < 0).all()
