"""The losses of the pixel-level systems against plain loops, values worked by hand, and the sign of a gradient."""

import math

import pytest
import torch
import torch.nn.functional as F

from latentveil.losses.confusion import confusion
from latentveil.losses.momentum_contrast import momentum_contrast
from latentveil.losses.penalty import rms_hinge
from latentveil.losses.triplet import temporal_triplet


def hinge_by_loops(before, after, bound):
    total = 0.0
    for one, other in zip(before.flatten(1).tolist(), after.flatten(1).tolist()):
        square = sum((a - b) ** 2 for a, b in zip(one, other)) / len(one)
        total += max(0.0, math.sqrt(square) - bound)
    return total / len(before)


@pytest.mark.parametrize("bound", [0.0, 0.3, 0.9])
def test_the_hinge_is_that_of_equation_4(bound):
    torch.manual_seed(0)
    before, after = torch.rand(4, 2, 3, 5), torch.rand(4, 2, 3, 5)
    assert rms_hinge(before, after, bound=bound).loss.item() == pytest.approx(
        hinge_by_loops(before, after, bound), abs=1e-6
    )


def test_the_hinge_by_hand():
    """One clip is changed by 0.5 everywhere, one not at all; the bound is 0.2."""
    hinge = rms_hinge(torch.zeros(2, 10), torch.tensor([[0.5] * 10, [0.0] * 10]), bound=0.2)
    assert hinge.loss.item() == pytest.approx((0.3 + 0) / 2)
    assert hinge.active_share == 0.5


def test_the_hinge_pulls_back_only_what_went_too_far():
    after = torch.tensor([[0.9, 0.9], [0.1, 0.1]], requires_grad=True)
    rms_hinge(torch.zeros(2, 2), after, bound=0.5).loss.backward()
    assert (after.grad[0] > 0).all()
    assert (after.grad[1] == 0).all()


def test_an_unchanged_clip_has_a_finite_gradient():
    after = torch.zeros(1, 3, requires_grad=True)
    rms_hinge(torch.zeros(1, 3), after, bound=0.0).loss.backward()
    assert torch.isfinite(after.grad).all()


def confusion_by_loops(logits):
    total = 0.0
    for row in range(len(logits[0][0])):
        worst = -math.inf
        for observer in logits:
            entropies = []
            for secret in observer:
                shares = [math.exp(value) for value in secret[row].tolist()]
                entropies.append(-sum(math.log(share / sum(shares)) for share in shares) / len(shares))
            worst = max(worst, sum(entropies) / len(entropies))
        total += worst
    return total / len(logits[0][0])


def test_confusion_is_the_worst_observers_cross_entropy_to_uniform():
    torch.manual_seed(0)
    logits = [[torch.randn(5, 2), torch.randn(5, 6)] for _ in range(3)]
    assert confusion(logits).item() == pytest.approx(confusion_by_loops(logits), rel=1e-5)


def test_confusion_is_lowest_where_nobody_knows_anything():
    nothing = [[torch.zeros(3, 2), torch.zeros(3, 4)]]
    assert confusion(nothing).item() == pytest.approx((math.log(2) + math.log(4)) / 2)
    sure = [[torch.tensor([[9.0, 0.0]] * 3), torch.zeros(3, 4)]]
    assert confusion(sure) > confusion(nothing)


def test_only_the_most_certain_observer_gets_a_gradient():
    certain = torch.tensor([[5.0, 0.0]], requires_grad=True)
    vague = torch.tensor([[0.1, 0.0]], requires_grad=True)
    confusion([[certain], [vague]]).backward()
    assert certain.grad.abs().sum() > 0
    assert vague.grad.abs().sum() == 0


def moco_by_loops(queries, keys, earlier, temperature):
    total = 0.0
    for query, key in zip(queries, keys):

        def power(other, query=query):
            return math.exp(F.cosine_similarity(query, other, dim=0).item() / temperature)

        total -= math.log(power(key) / (power(key) + sum(power(other) for other in earlier)))
    return total / len(queries)


def test_momentum_contrast_matches_plain_loops():
    torch.manual_seed(0)
    queries, keys, earlier = torch.randn(4, 6), torch.randn(4, 6), torch.randn(7, 6)
    assert momentum_contrast(queries, keys, earlier, temperature=0.5).item() == pytest.approx(
        moco_by_loops(queries, keys, earlier, 0.5), rel=1e-5
    )


def test_the_triplet_matches_plain_loops():
    torch.manual_seed(0)
    rows = [torch.randn(4, 3) for _ in range(3)]
    total = 0.0
    for anchor, same, other in zip(*(F.normalize(part, dim=-1) for part in rows)):
        total += max(0.0, math.dist(anchor, same) - math.dist(anchor, other) + 0.4)
    assert temporal_triplet(*rows, margin=0.4).item() == pytest.approx(total / 4, rel=1e-4)


def test_a_moment_far_from_the_others_costs_nothing():
    anchor, other = torch.tensor([[1.0, 0.0]]), torch.tensor([[-1.0, 0.0]])
    assert temporal_triplet(anchor, anchor, other).item() == pytest.approx(0, abs=1e-5)
    assert temporal_triplet(anchor, other, anchor).item() == pytest.approx(3, abs=1e-5)
