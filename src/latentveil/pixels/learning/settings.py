"""What every learned pixel system can be told: its networks, how clips are cut, how it starts, trains and stops."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from latentveil.config import RunSection, Section, Settings
from latentveil.pixels.networks.base import ANONYMIZER_NETWORKS, IMAGE_NETWORKS, VIDEO_NETWORKS


class NetworkSection(Section):
    """A network by its name in `pixels/networks`, and options of it."""

    architecture: str
    options: dict[str, Any] = Field(default_factory=dict)


class TaskSection(NetworkSection):
    """f_T: ``frozen`` trains its last layer alone."""

    architecture: str = "r3d"
    frozen: bool = False


class ClipSection(Section):
    """How clips are cut: ``frames`` of ``size`` pixels, ``skip`` frames apart; how views of them are varied.

    ``crop`` is the smallest share of the sides that a random crop keeps; the two views of a pair for f_B are cut out at
    one place, of at least ``pair_crop``. ``jitter`` is how much brightness and contrast change, ``erase`` how often a
    part is greyed out. Decoded videos are kept up to ``cache_megabytes``; of others clips are decoded anew.
    """

    frames: int = Field(16, ge=1)
    size: int = Field(112, ge=16)
    skip: int = Field(2, ge=1)
    crop: float = Field(0.8, gt=0, le=1)
    pair_crop: float = Field(0.6, gt=0, le=1)
    flip: bool = True
    jitter: float = Field(0.2, ge=0, lt=1)
    erase: float = Field(0.25, ge=0, le=1)
    cache_megabytes: int = Field(2000, ge=0)


class StartSection(Section):
    """Where the players begin: f_A as the identity, then f_T and f_B through it.

    f_A learns to give its input, by L1, until that is at most ``threshold`` or ``reconstruct_steps`` are over.
    """

    reconstruct_steps: int = Field(2000, ge=0)
    reconstruct_rate: float = Field(1e-3, gt=0)
    threshold: float = Field(0.01, ge=0)
    players_epochs: int = Field(20, ge=0)
    players_rate: float = Field(1e-3, gt=0)


class LearnSection(RunSection):
    """How long and how fast; batches count videos. Learning rates are Adam's.

    With ``schedule`` linear all rates fall from step to step, to 0 at the end, so that the players come to rest. With
    ``average`` above 0 the result has a moving average of f_A's weights, of which each step of f_A keeps this share:
    the players never stop to move around each other, and the last step is one of many. 0, as in the papers: the last.
    """

    epochs: int = Field(100, ge=1)
    batch_size: int = Field(24, ge=2)
    privacy_batch_size: int = Field(64, ge=2)
    anonymizer_rate: float = Field(1e-4, gt=0)
    task_rate: float = Field(1e-4, gt=0)
    budget_rate: float = Field(1e-4, gt=0)
    schedule: Literal["constant", "linear"] = "constant"
    average: float = Field(0.0, ge=0, lt=1)

    def rates(self, *, done: float = 0.0) -> dict[str, float]:
        """The learning rate of each player when the share ``done`` of the training is over."""
        left = 1.0 if self.schedule == "constant" else 1.0 - done
        rates = {"anonymizer": self.anonymizer_rate, "task": self.task_rate, "budget": self.budget_rate}
        return {name: left * rate for name, rate in rates.items()}


class HealthSection(Section):
    """When a training counts as collapsed.

    Pictures are blank below ``min_contrast`` of the raw ones' spread between videos; f_T is at chance up to ``chance``
    times guessing for ``patience`` epochs in a row.
    """

    min_contrast: float = Field(0.01, ge=0)
    chance: float = Field(1.2, ge=0)
    patience: int = Field(5, ge=1)


class BudgetSection(NetworkSection):
    """f_B and the self-supervised loss L_B that f_A raises.

    ``branch``: none (f_A keeps the action alone), frozen (f_B stays as the start left it), spatial (frames), or
    spatio-temporal (clips, by a video network). ``loss`` is nt_xent, moco or rotnet. ``also`` names a second network
    beside the first. Pairs of frames are ``min_distance`` to ``max_distance`` frames apart, as far as a video allows.
    """

    architecture: str = "resnet"
    branch: Literal["none", "frozen", "spatial", "spatio-temporal"] = "spatial"
    loss: Literal["nt_xent", "moco", "rotnet"] = "nt_xent"
    also: str | None = None
    also_options: dict[str, Any] = Field(default_factory=dict)
    weight: float = Field(1.0, ge=0)
    temperature: float = Field(0.1, gt=0)
    hidden: int = Field(2048, ge=1)
    projected: int = Field(128, ge=1)
    queue: int = Field(1024, ge=1)
    momentum: float = Field(0.999, ge=0, le=1)
    min_distance: int = Field(1, ge=0)
    max_distance: int | None = Field(None, ge=0)


class StopSection(Section):
    """When to end before the last epoch: with L_B at ``budget`` of its ceiling, the value of guessing; None: never."""

    budget: float | None = Field(None, gt=0)


class LearnedSettings(Settings):
    """What all learned pixel systems share."""

    anonymizer: NetworkSection = NetworkSection(architecture="unet")
    task: TaskSection = TaskSection()
    clips: ClipSection = ClipSection()
    start: StartSection = StartSection()
    train: LearnSection = LearnSection()
    health: HealthSection = HealthSection()

    @model_validator(mode="after")
    def _names_networks(self) -> LearnedSettings:
        ANONYMIZER_NETWORKS.get(self.anonymizer.architecture).check_options(self.anonymizer.options)
        VIDEO_NETWORKS.get(self.task.architecture).check_options(self.task.options)
        return self


class SelfSupervisedSettings(LearnedSettings):
    """And those whose privacy loss needs no label of a secret."""

    budget: BudgetSection = BudgetSection()
    stop: StopSection = StopSection()

    @model_validator(mode="after")
    def _names_observers(self) -> SelfSupervisedSettings:
        kind = VIDEO_NETWORKS if self.budget.branch == "spatio-temporal" else IMAGE_NETWORKS
        if self.budget.branch != "none":
            kind.get(self.budget.architecture).check_options(self.budget.options)
        if self.budget.branch != "none" and self.budget.also is not None:
            kind.get(self.budget.also).check_options(self.budget.also_options)
        return self
