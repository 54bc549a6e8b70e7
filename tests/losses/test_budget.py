"""The budget loss against plain loops, a value worked by hand, and the direction of its gradient."""

import math

import pytest
import torch
import torch.nn.functional as F

from latentveil.losses.budget import nt_xent, uniform_level


def one_sided_by_loops(first, second, temperature):
    """Eq. 5 as printed: anchors are the rows of ``first``."""
    total = 0.0
    for i in range(len(first)):

        def similarity(u, v):
            return math.exp(F.cosine_similarity(u, v, dim=0).item() / temperature)

        below = 0.0
        for j in range(len(first)):
            if j != i:
                below += similarity(first[i], first[j])
            below += similarity(first[i], second[j])
        total -= math.log(similarity(first[i], second[i]) / below)
    return total / len(first)


@pytest.mark.parametrize("temperature", [0.1, 0.5])
def test_matches_the_printed_equation(temperature):
    torch.manual_seed(0)
    first, second = torch.randn(5, 7), torch.randn(5, 7)
    forwards = one_sided_by_loops(first, second, temperature)
    backwards = one_sided_by_loops(second, first, temperature)
    assert nt_xent(first, second, temperature=temperature, symmetric=False).item() == pytest.approx(
        forwards, rel=1e-5
    )
    assert nt_xent(first, second, temperature=temperature).item() == pytest.approx(
        (forwards + backwards) / 2, rel=1e-5
    )


def test_worked_by_hand():
    """Two orthogonal videos with equal stills: each anchor sees e (its pair) against 1 and 1 at temperature 1."""
    views = torch.eye(2)
    assert nt_xent(views, views, temperature=1.0).item() == pytest.approx(-math.log(math.e / (math.e + 2)))


def test_uniform_level_is_the_value_when_all_videos_look_alike():
    same = torch.ones(6, 3)
    assert nt_xent(same, same).item() == pytest.approx(uniform_level(6))


def test_going_up_the_gradient_drives_the_stills_of_a_video_apart():
    torch.manual_seed(1)
    first = torch.randn(8, 16)
    second = (first + 0.1 * torch.randn(8, 16)).requires_grad_()
    (gradient,) = torch.autograd.grad(nt_xent(first, second), second)
    before = F.cosine_similarity(first, second).mean()
    after = F.cosine_similarity(first, second + 0.1 * gradient).mean()
    assert after < before
