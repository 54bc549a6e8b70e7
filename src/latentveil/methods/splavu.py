"""SPLAVU: an adapter trained against a self-supervised privacy budget, without any secret's label."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig, LossConfig
from latentveil.losses.budget import nt_xent, uniform_level
from latentveil.methods.adversarial import train
from latentveil.methods.base import Report, TrainingData
from latentveil.methods.checkpoint import RunFolder
from latentveil.methods.feed import Feed, PrivacyBatch


def fit(
    data: TrainingData, config: FitConfig, *, folder: Path | None = None, report: Report | None = None
) -> Adapter:
    """Train an adapter on stored features; with a checkpoint in ``folder``, also one of fewer epochs, from there on."""
    feed = Feed(data.features, data.tasks)
    settings = config.model_dump(mode="json", exclude={"train": {"epochs"}})
    run = RunFolder(folder, settings=settings, data=data.fingerprint()) if folder else None
    return train(lambda _: feed, BudgetObjective(config.loss), config, run=run, report=report)


class BudgetObjective:
    """The budget L_B, maximised: between two stills of a video, and between a clip of it and a still."""

    def __init__(self, weights: LossConfig) -> None:
        self.weights = weights
        self.observers = nn.Module()

    def terms(self, adapter: Adapter, batch: PrivacyBatch, clips: Tensor) -> dict[str, tuple[float, Tensor]]:
        """The budgets that have a weight, negative since they are maximised."""
        weights = self.weights
        if not (weights.static or weights.cross):
            return {}
        first = adapter(batch.first[:, None])[:, 0]  # (B, D); a still goes through alone
        terms = {}
        if weights.static:
            second = adapter(batch.second[:, None])[:, 0]
            terms["static"] = (-weights.static, budget(first, second, weights))
        if weights.cross:
            terms["cross"] = (-weights.cross, budget(random_clip(clips, batch.mask), first, weights))
        return terms

    def observer_loss(self, adapter: Adapter, batch: PrivacyBatch) -> None:
        """Nobody learns to see through the adapter: the budget compares features as they are."""
        return None


def budget(first: Tensor, second: Tensor, weights: LossConfig) -> Tensor:
    """L_B between two views (B, D); ``bounded`` cuts it off where matching is as hard as guessing."""
    value = nt_xent(first, second, temperature=weights.temperature, symmetric=weights.symmetric)
    return value.clamp(max=uniform_level(len(first))) if weights.bounded else value


def random_clip(clips: Tensor, mask: Tensor) -> Tensor:
    """One real clip (B, D) of each video (B, T, D)."""
    chosen = torch.multinomial(mask.float(), 1)  # (B, 1)
    return clips[torch.arange(len(clips), device=clips.device), chosen[:, 0]]
