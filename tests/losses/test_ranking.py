"""The ranking loss against plain loops, a value worked by hand, and the signs of its gradients."""

from __future__ import annotations

import pytest
import torch

from latentveil.losses.ranking import ranking


def test_equals_plain_loops_over_all_pairs():
    generator = torch.Generator().manual_seed(0)
    normal = torch.rand(4, generator=generator, dtype=torch.double)
    anomalous = torch.rand(3, generator=generator, dtype=torch.double)
    pairs = [max(0.0, 0.4 - float(a) + float(n)) for a in anomalous for n in normal]
    assert ranking(normal, anomalous, margin=0.4).item() == pytest.approx(sum(pairs) / 12, rel=1e-12)


def test_value_by_hand():
    assert ranking(torch.tensor([0.1]), torch.tensor([0.8, 0.3])).item() == pytest.approx((0.3 + 0.8) / 2)


def test_gradient_raises_the_anomalous_and_lowers_the_normal():
    normal, anomalous = torch.tensor([0.4], requires_grad=True), torch.tensor([0.6], requires_grad=True)
    ranking(normal, anomalous).backward()
    assert normal.grad.item() == 1.0
    assert anomalous.grad.item() == -1.0
