"""Sparsity against a plain loop, a value worked by hand, and the sign of its gradient."""

from __future__ import annotations

import math

import pytest
import torch

from latentveil.losses.sparsity import sparsity


def test_equals_a_plain_loop_over_real_scores():
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(3, 6, generator=generator, dtype=torch.double)
    mask = torch.rand(3, 6, generator=generator) < 0.6
    expected = math.sqrt(sum(float(scores[b, t]) ** 2 for b in range(3) for t in range(6) if mask[b, t]))
    assert sparsity(scores, mask).item() == pytest.approx(expected, rel=1e-12)


def test_value_by_hand():
    assert sparsity(torch.tensor([[0.0, 3.0], [4.0, 0.0]])).item() == pytest.approx(5.0)
    assert sparsity(torch.tensor([[0.0, 3.0], [4.0, 0.0]]), order=1).item() == pytest.approx(7.0)


def test_gradient_lowers_every_positive_score_and_is_zero_at_zero():
    scores = torch.tensor([[0.2, 0.7]], requires_grad=True)
    sparsity(scores).backward()
    assert (scores.grad > 0).all()
    nothing = torch.zeros(1, 2, requires_grad=True)
    sparsity(nothing).backward()
    assert nothing.grad.tolist() == [[0.0, 0.0]]
