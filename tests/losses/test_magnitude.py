"""The magnitude contrastive loss against plain loops, a value worked by hand, and the signs of its gradients."""

from __future__ import annotations

import math

import pytest
import torch

from latentveil.losses.magnitude import magnitude_contrastive, magnitude_contrastive_of_all_pairs


def loop_reference(normal, anomalous, *, margin, between_weight):
    """The loss written out video by video."""

    def norms(features):
        return [[sum(abs(float(value)) for value in segment) for segment in video] for video in features]

    def distance(first, second):
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(first, second)))

    def within(rows):
        half = len(rows) // 2
        pairs = list(zip(rows[:half], rows[len(rows) - half :]))
        return sum(distance(*pair) ** 2 for pair in pairs) / len(pairs) if pairs else 0.0

    normal, anomalous = norms(normal), norms(anomalous)
    pairs = list(zip(normal, anomalous))
    between = sum(max(0.0, margin - distance(*pair)) ** 2 for pair in pairs) / len(pairs)
    return between_weight * between + within(normal) + within(anomalous)


@pytest.mark.parametrize(("num_normal", "num_anomalous"), [(4, 4), (5, 3), (1, 1), (2, 6)])
def test_equals_plain_loops(num_normal, num_anomalous):
    generator = torch.Generator().manual_seed(num_normal)
    normal = torch.randn(num_normal, 3, 7, generator=generator, dtype=torch.double)
    anomalous = torch.randn(num_anomalous, 3, 7, generator=generator, dtype=torch.double) * 3
    loss = magnitude_contrastive(normal, anomalous, margin=20.0, between_weight=0.3)
    expected = loop_reference(normal, anomalous, margin=20.0, between_weight=0.3)
    assert loss.item() == pytest.approx(expected, rel=1e-9)


def test_value_by_hand():
    # L1 norms: normal 3 and 1, anomalous 6 and 6; between: ((10 - 3)² + (10 - 5)²) / 2 = 37; within: (3 - 1)² + 0.
    normal = torch.tensor([[[1.0, -2.0]], [[1.0, 0.0]]])
    anomalous = torch.tensor([[[-6.0, 0.0]], [[3.0, 3.0]]])
    loss = magnitude_contrastive(normal, anomalous, margin=10.0, between_weight=0.5)
    assert loss.item() == pytest.approx(0.5 * 37 + 4, abs=1e-5)


def test_gradient_grows_the_anomalous_and_shrinks_the_normal_until_the_margin():
    normal = torch.full((2, 1, 4), 0.5, requires_grad=True)
    anomalous = torch.full((2, 1, 4), 1.0, requires_grad=True)
    magnitude_contrastive(normal, anomalous, margin=200.0).backward()
    assert (normal.grad > 0).all()
    assert (anomalous.grad < 0).all()
    far = torch.full((2, 1, 4), 60.0, requires_grad=True)
    loss = magnitude_contrastive(normal.detach(), far, margin=200.0)
    assert loss.item() == 0
    loss.backward()
    assert far.grad.abs().sum() == 0


def test_gradient_is_finite_where_both_kinds_are_equal():
    same = torch.ones(2, 1, 3, requires_grad=True)
    magnitude_contrastive(same, same.detach()).backward()
    assert torch.isfinite(same.grad).all()


def test_all_pairs_equal_plain_loops_over_equation_13():
    generator = torch.Generator().manual_seed(0)
    normal = torch.randn(4, 3, 7, generator=generator, dtype=torch.double)
    anomalous = 3 * torch.randn(5, 3, 7, generator=generator, dtype=torch.double)
    rows = [features.abs().sum(-1).tolist() for features in (normal, anomalous)]
    expected = sum(math.dist(p, q) for kind in rows for p in kind for q in kind)
    expected += sum(max(0.0, 25.0 - math.dist(p, u)) for p in rows[0] for u in rows[1])
    loss = magnitude_contrastive_of_all_pairs(normal, anomalous, margin=25.0)
    assert loss.item() == pytest.approx(expected, rel=1e-6)


def test_all_pairs_by_hand():
    # L1 norms: normal 3 and 1, anomalous 6; within: 2 + 2; between: (10 - 3) + (10 - 5).
    normal = torch.tensor([[[1.0, -2.0]], [[1.0, 0.0]]])
    anomalous = torch.tensor([[[-6.0, 0.0]]])
    loss = magnitude_contrastive_of_all_pairs(normal, anomalous, margin=10.0, between_weight=0.5)
    assert loss.item() == pytest.approx(4 + 0.5 * 12, abs=1e-5)


def test_all_pairs_have_finite_gradients_where_rows_are_equal():
    same = torch.ones(3, 1, 3, requires_grad=True)
    magnitude_contrastive_of_all_pairs(same, same.detach() + 1).backward()
    assert torch.isfinite(same.grad).all()
