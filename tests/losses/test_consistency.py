"""The consistency loss against plain loops, a value worked by hand, and the direction of its gradient."""

import pytest
import torch

from latentveil.errors import InputError
from latentveil.losses.consistency import latent_consistency


def test_matches_plain_loops():
    torch.manual_seed(0)
    before, after = torch.randn(3, 4, 5), torch.randn(3, 4, 5)
    mask = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]], dtype=torch.bool)
    distances = [
        sum((before[b, t, d] - after[b, t, d]).item() ** 2 for d in range(5))
        for b in range(3)
        for t in range(4)
        if mask[b, t]
    ]
    expected = sum(distances) / len(distances)
    assert latent_consistency(before, after, mask, reduction="sum").item() == pytest.approx(
        expected, rel=1e-5
    )
    assert latent_consistency(before, after, mask).item() == pytest.approx(expected / 5, rel=1e-5)


def test_worked_by_hand():
    before, after = torch.zeros(1, 1, 2), torch.tensor([[[3.0, 4.0]]])
    mask = torch.ones(1, 1, dtype=torch.bool)
    assert latent_consistency(before, after, mask, reduction="sum").item() == 25.0
    assert latent_consistency(before, after, mask, reduction="mean").item() == 12.5


def test_gradient_points_back_to_the_raw_feature():
    before, after = torch.zeros(1, 1, 2), torch.tensor([[[3.0, -4.0]]], requires_grad=True)
    loss = latent_consistency(before, after, torch.ones(1, 1, dtype=torch.bool))
    (gradient,) = torch.autograd.grad(loss, after)
    assert torch.equal(gradient.sign(), torch.tensor([[[1.0, -1.0]]]))


def test_unknown_reduction_is_refused():
    with pytest.raises(InputError, match="reduction must be one of mean, sum, got 'max'"):
        latent_consistency(
            torch.zeros(1, 1, 1), torch.zeros(1, 1, 1), torch.ones(1, 1, dtype=torch.bool), reduction="max"
        )
