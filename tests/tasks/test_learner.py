"""Who moves a head: clipping, schedule and average are those of its recipe, and survive a checkpoint."""

import pytest
import torch
from torch import nn

from latentveil.tasks.learner import HeadLearner


def learner(**options):
    head = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[1.0, 2.0]]))
    optimizer = torch.optim.SGD(head.parameters(), lr=1.0)
    if "schedule" in options:
        options["schedule"] = torch.optim.lr_scheduler.LambdaLR(optimizer, options["schedule"])
    return HeadLearner(head, optimizer, **options)


def step(learner, gradient):
    learner.zero_grad()
    (learner.head.weight * torch.tensor([gradient])).sum().backward()
    learner.step()
    return learner.head.weight[0].tolist()


def test_a_plain_step():
    assert step(learner(), [0.5, 0.0]) == pytest.approx([0.5, 2.0])


def test_gradients_are_clipped_to_their_norm():
    assert step(learner(gradient_clip=1.0), [3.0, 4.0]) == pytest.approx([1 - 0.6, 2 - 0.8], abs=1e-5)


def test_the_rate_follows_the_schedule():
    found = learner(schedule=lambda number: number / 2)
    assert step(found, [1.0, 0.0]) == pytest.approx([1.0, 2.0])
    assert step(found, [1.0, 0.0]) == pytest.approx([0.5, 2.0])


def test_the_average_trails_behind_the_weights():
    found = learner(ema_decay=0.9)
    step(found, [1.0, 0.0])  # the first one is taken as it is
    step(found, [1.0, 0.0])
    assert found.averaged.weight[0].tolist() == pytest.approx([0.9 * 0.0 + 0.1 * -1.0, 2.0], abs=1e-6)
    assert found.averaged is not found.head
    assert learner().averaged.weight.shape == (1, 2)


def test_a_checkpoint_goes_on_where_it_was():
    options = {"schedule": lambda number: 1 / (1 + number), "ema_decay": 0.5}
    whole, cut = learner(**options), learner(**options)
    for found in (whole, cut):
        step(found, [1.0, 1.0])
    resumed = learner(**options)
    resumed.head.load_state_dict(cut.head.state_dict())
    resumed.load_state_dict(cut.state_dict())
    assert step(resumed, [1.0, 0.0]) == step(whole, [1.0, 0.0])
    assert torch.equal(resumed.averaged.weight, whole.averaged.weight)
