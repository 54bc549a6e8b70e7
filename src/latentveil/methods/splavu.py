"""SPLAVU: an adapter trained against a self-supervised privacy budget, without any secret's label."""

from __future__ import annotations

from pathlib import Path

import torch
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.files.run_folder import RunFolder
from latentveil.losses.budget import nt_xent, uniform_level
from latentveil.methods.adversarial import train
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.feed import PrivacyBatch, feeds_of
from latentveil.methods.players import Passed
from latentveil.methods.settings import TaskLoss, TrainedSettings
from latentveil.progress import OnProgress, silent


class BudgetLoss(TaskLoss):
    """The weights of Eq. 7 and the shapes of its terms.

    ``static`` (omega_B) weighs the budget between two stills of a video, ``cross`` the one between a clip and a still
    of its video; ``bounded`` stops raising a budget once stills are as hard to match as by guessing.
    """

    cross: float = Field(0.0, ge=0)
    temperature: float = Field(0.1, gt=0)
    symmetric: bool = True
    bounded: bool = False


class SplavuSettings(TrainedSettings):
    """The network, the weights and the training of the published objective."""

    loss: BudgetLoss = BudgetLoss()


def fit(
    data: TrainingData,
    settings: SplavuSettings,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = silent,
) -> Adapter:
    """Train an adapter, going on from a checkpoint in ``folder``: at a constant rate, also from one of fewer epochs.

    The features are the stored ones, or those that ``data.fresh`` makes anew each epoch.
    """
    goes_on = {"epochs"} if settings.train.schedule == "constant" else set()
    made_from = {
        **settings.model_dump(mode="json", exclude={"train": goes_on}),
        "trained_on": "store" if data.fresh is None else "videos",
    }
    run = RunFolder(folder, settings=made_from, data=data.fingerprint()) if folder else None
    objective = BudgetObjective(settings.loss)
    return train(feeds_of(data), objective, settings, run=run, on_progress=on_progress)


class BudgetObjective:
    """The budget L_B, maximised: between two stills of a video, and between a clip of it and a still."""

    def __init__(self, weights: BudgetLoss) -> None:
        self.weights = weights
        self.observers = nn.Module()
        self.learning_rate = 0.0  # nobody's

    def terms(self, passed: Passed) -> dict[str, tuple[float, Tensor]]:
        """The budgets that have a weight, negative since they are maximised."""
        weights = self.weights
        terms = {}
        if weights.static:
            terms["static"] = (-weights.static, budget(passed.first, passed.second, weights))
        if weights.cross:
            clips = random_clip(passed.clips, passed.batch.mask)
            terms["cross"] = (-weights.cross, budget(clips, passed.first, weights))
        return terms

    def observer_loss(self, adapter: Adapter, batch: PrivacyBatch) -> None:
        """Nobody learns to see through the adapter: the budget compares features as they are."""
        return None


def budget(first: Tensor, second: Tensor, weights: BudgetLoss) -> Tensor:
    """L_B between two views (B, D); ``bounded`` cuts it off where matching is as hard as guessing."""
    value = nt_xent(first, second, temperature=weights.temperature, symmetric=weights.symmetric)
    return value.clamp(max=uniform_level(len(first))) if weights.bounded else value


def random_clip(clips: Tensor, mask: Tensor) -> Tensor:
    """One real clip (B, D) of each video (B, T, D)."""
    chosen = torch.multinomial(mask.float(), 1)  # (B, 1)
    return clips[torch.arange(len(clips), device=clips.device), chosen[:, 0]]


def dials(with_motion: bool) -> Dials:
    return {"loss.consistency": (1, 10, 100)}


method = Method(
    name="splavu",
    fit=fit,
    about="The published objective: an adapter trained against a self-supervised privacy budget.",
    Settings=SplavuSettings,
    trained=True,
    live=True,
    dials=dials,
)
