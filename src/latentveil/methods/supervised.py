"""A supervised adversary in latent space (as VITA, Wu et al.): observers learn the labelled secrets (an oracle)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.errors import InputError, UsageError
from latentveil.files.run_folder import RunFolder
from latentveil.labels import Labels
from latentveil.methods.adversarial import train
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.feed import Feed, PrivacyBatch
from latentveil.methods.leace import SecretsSection
from latentveil.methods.players import Passed
from latentveil.methods.settings import TrainedSettings, TrainSection
from latentveil.progress import OnProgress, silent
from latentveil.seeds import derive_seed

UNKNOWN = -100  # the class of a video whose secret is blank


class ObserverTrainSection(TrainSection):
    """The observers learn at a rate of their own."""

    observer_learning_rate: float = Field(1e-3, gt=0)


class SupervisedSettings(TrainedSettings):
    """Which secrets are hidden, and the training; ``loss.static`` weighs the observers' confusion."""

    erasure: SecretsSection = SecretsSection()
    train: ObserverTrainSection = ObserverTrainSection()


def fit(
    data: TrainingData,
    settings: SupervisedSettings,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = silent,
) -> Adapter:
    """Train an adapter until observers who know the secrets of the training videos are left guessing."""
    if data.labels is None:
        raise UsageError(
            "labels must be given for the method supervised, got none. It hides labelled secrets."
        )
    names = settings.erasure.secrets or tuple(data.labels.secrets)
    if not names:
        raise InputError("labels must have a column secret_… for the method supervised, got none.")
    answers = {name: _numbered(data.labels, name) for name in names}
    feed = Feed(data.features, data.tasks)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(settings.train.seed, 1))
        objective = ConfusionObjective(
            feed.dim,
            answers,
            weight=settings.loss.static,
            learning_rate=settings.train.observer_learning_rate,
        )
    made_from = settings.model_dump(mode="json")
    run = RunFolder(folder, settings=made_from, data=data.fingerprint()) if folder else None
    return train(lambda _: feed, objective, settings, run=run, on_progress=on_progress)


def _numbered(labels: Labels, secret: str) -> tuple[dict[str, int], int]:
    """The class of every video, UNKNOWN where it is blank, and the number of classes."""
    values = labels.column(secret)
    classes = np.unique(values[values != ""])
    numbers = np.where(values == "", UNKNOWN, np.searchsorted(classes, values))
    return dict(zip(labels.video.tolist(), numbers.tolist())), len(classes)


class ConfusionObjective:
    """One observer per secret; the adapter pushes each observer's answer to uniform, not to the opposite.

    ``answers`` gives for each secret the class of every video (or UNKNOWN) and the number of classes; ``weight`` is
    that of the confusion, ``learning_rate`` the observers'.
    """

    def __init__(
        self,
        dim: int,
        answers: dict[str, tuple[dict[str, int], int]],
        *,
        weight: float,
        learning_rate: float,
    ) -> None:
        self.learning_rate = learning_rate
        self.answers = answers
        self.weight = weight
        self.by_secret = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.LayerNorm(dim), nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, num_classes)
                )
                for name, (_, num_classes) in answers.items()
            }
        )
        self.observers: nn.Module = self.by_secret

    def terms(self, passed: Passed) -> dict[str, tuple[float, Tensor]]:
        """For each secret, the cross-entropy between its observer's answer and the uniform one."""
        shown = passed.clips[passed.batch.mask]  # (N, D)
        return {
            f"confusion_{name}": (self.weight, -observer(shown).log_softmax(dim=-1).mean())
            for name, observer in self.by_secret.items()
        }

    def observer_loss(self, adapter: Adapter, batch: PrivacyBatch) -> Tensor:
        """The observers' cross-entropy on anonymized clips of videos whose secret is known."""
        with torch.no_grad():
            shown = adapter(batch.clips, batch.mask)[batch.mask]  # (N, D)
        losses = []
        for name, observer in self.by_secret.items():
            known = torch.tensor(
                [self.answers[name][0][video] for video in batch.videos], device=shown.device
            )
            wanted = known[:, None].expand(batch.mask.shape)[batch.mask]  # (N,)
            total = F.cross_entropy(observer(shown), wanted, ignore_index=UNKNOWN, reduction="sum")
            losses.append(total / (wanted != UNKNOWN).sum().clamp(min=1))
        return torch.stack(losses).sum()


method = Method(
    name="supervised",
    fit=fit,
    about="A supervised adversary: observers learn the labelled secrets, the adapter leaves them guessing.",
    Settings=SupervisedSettings,
    oracle=True,
    trained=True,
)
