from dataclasses import replace

import pytest
import torch

from latentveil.tasks.base import TaskBatch
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.detection.train import learning_rate_factor, make_optimizer, train_detector


def test_learning_rate_rises_linearly_and_falls_as_a_cosine(tiny_config):
    config = replace(
        tiny_config, learning_rate=1e-4, final_learning_rate=1e-8, warmup_epochs=2, cosine_epochs=2
    )
    factors = [learning_rate_factor(step, 10, config) for step in (0, 5, 10, 20, 30, 40)]
    assert factors == pytest.approx([0, 0.25, 0.5, 1, 0.5, 1e-4], abs=1e-4)


def test_only_convolution_weights_decay(tiny_config):
    head = TriDet(8, 3, tiny_config)
    decayed, free = make_optimizer(head, 1e-3, weight_decay=0.1).param_groups
    names = {id(parameter): name for name, parameter in head.named_parameters()}
    assert decayed["weight_decay"] == 0.1
    assert free["weight_decay"] == 0
    assert len(decayed["params"]) + len(free["params"]) == len(names)
    assert all(parameter.ndim == 3 for parameter in decayed["params"])
    kept_free = [names[id(parameter)] for parameter in free["params"]]
    assert all(name.endswith(("bias", "scale")) or "norm" in name for name in kept_free)


def test_result_is_the_moving_average_of_the_weights(tiny_config):
    config = replace(
        tiny_config, warmup_epochs=1, cosine_epochs=2, ema_decay=0.5, weight_decay=0.0, gradient_clip=1e9
    )
    torch.manual_seed(0)
    head = TriDet(8, 3, config)
    batch = TaskBatch(torch.zeros(1, 4, 8), torch.ones(1, 4, dtype=torch.bool), None)
    seen = []

    def loss(head, batch):
        assert batch.features.shape == (1, 4, 8)
        seen.append(head.trident.level_scale.detach().clone())
        return (head.trident.level_scale**2).sum()

    averaged = train_detector(head, lambda _: iter([batch, batch]), loss, steps_per_epoch=2)
    seen = [*seen[1:], head.trident.level_scale.detach()]
    wanted = seen[0]
    for value in seen[1:]:
        wanted = 0.5 * wanted + 0.5 * value
    torch.testing.assert_close(averaged.trident.level_scale.detach(), wanted)
    assert not torch.equal(wanted, head.trident.level_scale.detach())
    assert not averaged.training


def test_small_data_is_passed_more_often(tiny_config):
    config = replace(tiny_config, warmup_epochs=1, cosine_epochs=1, min_steps=7)
    head = TriDet(8, 3, config)
    epochs = []

    def batches(epoch):
        epochs.append(epoch)
        return iter([None])

    train_detector(head, batches, lambda head, _: (head.trident.level_scale**2).sum(), steps_per_epoch=1)
    assert epochs == list(range(8))
