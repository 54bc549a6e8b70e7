import math

import torch

from latentveil.losses.focal import focal_loss


def reference(logits, target, weight, alpha, gamma):
    total = 0.0
    for z, t, w in zip(logits.flatten().tolist(), target.flatten().tolist(), weight.flatten().tolist()):
        p = 1 / (1 + math.exp(-z))
        if t == 1:
            total += -w * alpha * (1 - p) ** gamma * math.log(p)
        else:
            total += -w * (1 - alpha) * p**gamma * math.log(1 - p)
    return total


def test_equals_plain_loops():
    generator = torch.Generator().manual_seed(0)
    for alpha, gamma in [(0.25, 2.0), (0.5, 1.5), (0.9, 0.0)]:
        logits = 4 * torch.randn(7, 5, generator=generator, dtype=torch.float64)
        target = (torch.rand(7, 5, generator=generator) < 0.3).double()
        weight = torch.rand(7, 5, generator=generator, dtype=torch.float64)
        loss = focal_loss(logits, target, weight=weight, alpha=alpha, gamma=gamma)
        assert math.isclose(loss.item(), reference(logits, target, weight, alpha, gamma), rel_tol=1e-9)


def test_value_worked_by_hand():
    # p = 1/2 for both: 0.25 * 0.25 * ln 2 for the positive, 0.75 * 0.25 * ln 2 for the negative
    loss = focal_loss(torch.zeros(2), torch.tensor([1.0, 0.0]))
    torch.testing.assert_close(loss.item(), 0.25 * math.log(2))


def test_gradient_raises_positives_and_lowers_negatives():
    logits = torch.tensor([-1.0, 0.5, 2.0, -3.0], requires_grad=True)
    focal_loss(logits, torch.tensor([1.0, 1.0, 0.0, 0.0])).backward()
    assert (logits.grad[:2] < 0).all()
    assert (logits.grad[2:] > 0).all()


def test_large_logits_stay_finite():
    logits = torch.tensor([200.0, -200.0, 200.0, -200.0], requires_grad=True)
    loss = focal_loss(logits, torch.tensor([0.0, 1.0, 1.0, 0.0]))
    loss.backward()
    torch.testing.assert_close(loss.item(), 0.75 * 200 + 0.25 * 200)
    assert torch.isfinite(logits.grad).all()
