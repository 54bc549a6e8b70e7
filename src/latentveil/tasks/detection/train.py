"""TriDet's training recipe: AdamW, linear warm-up and cosine, clipped gradients, averaged weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from latentveil.tasks.base import TaskBatch
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.model import TriDet

EpochBatches = Callable[[int], Iterator[TaskBatch]]
HeadLoss = Callable[[TriDet, TaskBatch], Tensor]


def train_detector(head: TriDet, batches: EpochBatches, loss: HeadLoss, *, steps_per_epoch: int) -> TriDet:
    """Train ``head`` by its config's recipe; the result is the moving average of its weights after the last epoch."""
    config = head.config
    repeats = max(1, math.ceil(config.min_steps / (config.epochs * steps_per_epoch)))
    optimizer = make_optimizer(head, config.learning_rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate_factor(step, repeats * steps_per_epoch, config)
    )
    average = AveragedModel(head, multi_avg_fn=get_ema_multi_avg_fn(config.ema_decay))
    head.train()
    for epoch in range(repeats * config.epochs):
        for batch in batches(epoch):
            value = loss(head, batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(head.parameters(), config.gradient_clip)
            optimizer.step()
            schedule.step()
            average.update_parameters(head)
    averaged = average.module.eval()
    assert isinstance(averaged, TriDet)
    return averaged


def make_optimizer(head: nn.Module, learning_rate: float, *, weight_decay: float) -> torch.optim.AdamW:
    """AdamW that decays the weights of convolutions alone: no bias, norm or scale."""
    decayed = {id(layer.weight) for layer in head.modules() if isinstance(layer, nn.Conv1d)}
    groups = [
        {"params": [p for p in head.parameters() if id(p) in decayed], "weight_decay": weight_decay},
        {"params": [p for p in head.parameters() if id(p) not in decayed], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=learning_rate, fused=True)


def learning_rate_factor(step: int, steps_per_epoch: int, config: TriDetConfig) -> float:
    """The share of the learning rate at a step: linear from 0 in the warm-up, then half a cosine."""
    warmup, total = config.warmup_epochs * steps_per_epoch, config.epochs * steps_per_epoch
    if step < warmup:
        return step / warmup
    progress = (step - warmup) / max(total - warmup, 1)
    final = config.final_learning_rate / config.learning_rate
    return final + (1 - final) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2
