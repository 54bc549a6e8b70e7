"""TriDet's training recipe: AdamW, linear warm-up and cosine, clipped gradients, averaged weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from latentveil.tasks.base import TaskBatch
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.learner import HeadLearner

EpochBatches = Callable[[int], Iterator[TaskBatch]]
HeadLoss = Callable[[TriDet, TaskBatch], Tensor]


def train_detector(head: TriDet, batches: EpochBatches, loss: HeadLoss, *, steps_per_epoch: int) -> TriDet:
    """Train ``head`` by its config's recipe; the result is the moving average of its weights after the last epoch."""
    config = head.config
    repeats = max(1, math.ceil(config.min_steps / (config.epochs * steps_per_epoch)))
    learner = make_learner(head, config, steps=repeats * config.epochs * steps_per_epoch)
    head.train()
    for epoch in range(repeats * config.epochs):
        for batch in batches(epoch):
            value = loss(head, batch)
            learner.zero_grad()
            value.backward()
            learner.step()
    averaged = learner.averaged.eval()
    assert isinstance(averaged, TriDet)
    return averaged


def make_learner(head: nn.Module, config: TriDetConfig, *, steps: int, first_step: int = 0) -> HeadLearner:
    """The recipe's optimizer, clipping, schedule over ``steps`` steps (from ``first_step`` on) and average."""
    optimizer = make_optimizer(head, config.learning_rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate_factor(first_step + step, steps / config.epochs, config)
    )
    return HeadLearner(
        head,
        optimizer,
        gradient_clip=config.gradient_clip,
        schedule=schedule,
        ema_decay=config.ema_decay,
    )


def make_optimizer(head: nn.Module, learning_rate: float, *, weight_decay: float) -> torch.optim.AdamW:
    """AdamW that decays the weights of convolutions alone: no bias, norm or scale."""
    decayed = {id(layer.weight) for layer in head.modules() if isinstance(layer, nn.Conv1d)}
    groups = [
        {"params": [p for p in head.parameters() if id(p) in decayed], "weight_decay": weight_decay},
        {"params": [p for p in head.parameters() if id(p) not in decayed], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=learning_rate, fused=True)


def learning_rate_factor(step: int, steps_per_epoch: float, config: TriDetConfig) -> float:
    """The share of the learning rate at a step: linear from 0 in the warm-up, then half a cosine."""
    warmup, total = config.warmup_epochs * steps_per_epoch, config.epochs * steps_per_epoch
    if step < warmup:
        return step / warmup
    progress = (step - warmup) / max(total - warmup, 1)
    final = config.final_learning_rate / config.learning_rate
    return final + (1 - final) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2
