import math

import torch

from latentveil.losses.iou import anchored_iou, distance_iou_loss


def reference(predicted, target):
    """IoU and DIoU loss of one pair, from the two segments around an anchor at 0."""
    (a, b), (c, d) = (-predicted[0], predicted[1]), (-target[0], target[1])
    inner = max(0.0, min(b, d) - max(a, c))
    iou = inner / ((b - a) + (d - c) - inner)
    shift = abs((a + b) / 2 - (c + d) / 2) / (max(b, d) - min(a, c))
    return iou, 1 - iou + shift**2


def test_equals_plain_loops():
    generator = torch.Generator().manual_seed(0)
    predicted = 5 * torch.rand(200, 2, generator=generator, dtype=torch.float64)
    target = 5 * torch.rand(200, 2, generator=generator, dtype=torch.float64)
    pairs = [reference(p, t) for p, t in zip(predicted.tolist(), target.tolist())]
    torch.testing.assert_close(anchored_iou(predicted, target).tolist(), [iou for iou, _ in pairs])
    assert math.isclose(
        distance_iou_loss(predicted, target).item(), sum(loss for _, loss in pairs), rel_tol=1e-9
    )


def test_value_worked_by_hand():
    # [-1, 1] against [-1, 3]: IoU 2/4, centres 0 and 1, hull 4
    predicted, target = torch.tensor([[1.0, 1.0]]), torch.tensor([[1.0, 3.0]])
    assert anchored_iou(predicted, target).item() == 0.5
    assert distance_iou_loss(predicted, target).item() == 0.5 + 1 / 16


def test_gradient_moves_each_side_towards_its_target():
    predicted = torch.tensor([[1.0, 4.0]], requires_grad=True)
    distance_iou_loss(predicted, torch.tensor([[2.0, 2.0]])).backward()
    assert predicted.grad[0, 0] < 0
    assert predicted.grad[0, 1] > 0


def test_empty_segments_give_numbers():
    nothing = torch.zeros(1, 2, requires_grad=True)
    loss = distance_iou_loss(nothing, torch.zeros(1, 2)) + distance_iou_loss(nothing[:0], torch.zeros(0, 2))
    loss.backward()
    assert loss.item() == 1
    assert torch.isfinite(nothing.grad).all()
