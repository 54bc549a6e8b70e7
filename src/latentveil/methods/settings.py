"""The settings of methods that train an adapter: its network, the weights of Eq. 7, how long and how fast."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationInfo, field_validator, model_validator

from latentveil.adapters.initialise import RECONSTRUCTIONS, Reconstruction
from latentveil.adapters.network import NETWORKS
from latentveil.config import TASKS, RunSection, Section, Settings
from latentveil.errors import UsageError
from latentveil.names import did_you_mean

RECONSTRUCT = "reconstruct_"


Names = TypeVar("Names", dict[str, Any], tuple[str, ...])


def require_tasks(names: Names, setting: str | None) -> Names:
    """The same ``names``, a value of the ``setting``, which must be of tasks."""
    for name in names:
        if name not in TASKS:
            near = did_you_mean(name, TASKS)
            raise UsageError(f"{setting} must be of the tasks {', '.join(TASKS)}, got {name!r}.{near}")
    return names


class AdapterSection(Section):
    """The network f_A and where it starts from.

    ``layers``, ``heads`` and ``attends`` are options of the networks that come with latentveil, as the network has them
    unless given; ``options`` are those of other packages' networks. ``init`` is the start: ``exact`` (the identity), or
    trained to reconstruct as the paper says (``reconstruct``) or as its public code does (``reconstruct_mse``), with
    the numbers of either unless ``reconstruct_*`` change them.
    """

    architecture: str = "attention"
    layers: int | None = Field(None, ge=1)
    heads: int | None = Field(None, ge=1)
    attends: Literal["time", "none", "batch"] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    init: Literal["exact", "reconstruct", "reconstruct_mse"] = "exact"
    reconstruct_epochs: int | None = Field(None, ge=0)
    reconstruct_learning_rate: float | None = Field(None, gt=0)
    reconstruct_min_steps: int | None = Field(None, ge=0)
    reconstruct_max_steps: int | None = Field(None, ge=1)
    reconstruct_tolerance: float | None = Field(None, gt=0)

    def network_options(self) -> dict[str, Any]:
        """The options of the network that were given."""
        named = {name: getattr(self, name) for name in ("layers", "heads", "attends")}
        return {name: value for name, value in named.items() if value is not None} | self.options

    def reconstruction(self) -> Reconstruction | None:
        """How the adapter is trained to give its input before anything else; None where it does so from the start."""
        if self.init == "exact":
            return None
        return replace(RECONSTRUCTIONS[self.init], **self._changes_of_reconstruction())

    def _changes_of_reconstruction(self) -> dict[str, Any]:
        given = {
            name: getattr(self, name) for name in type(self).model_fields if name.startswith(RECONSTRUCT)
        }
        return {name.removeprefix(RECONSTRUCT): value for name, value in given.items() if value is not None}

    @model_validator(mode="after")
    def _reconstructs_if_told_how(self) -> AdapterSection:
        changes = self._changes_of_reconstruction()
        if self.init == "exact" and changes:
            name, value = next(iter(changes.items()))
            raise UsageError(
                f"adapter.{RECONSTRUCT}{name} must go with adapter.init=reconstruct or reconstruct_mse, got {value} "
                "with init=exact, which trains no reconstruction. Leave one of them out."
            )
        return self

    @model_validator(mode="after")
    def _fits_its_network(self) -> AdapterSection:
        NETWORKS.get(self.architecture).check_options(self.network_options())
        return self


class TaskLoss(Section):
    """The weights of Eq. 7 that every adversarial training has.

    ``static`` (omega_B) weighs what the adapter trains against. ``consistency_on`` says what must stay near its input:
    all ``clips`` of the videos whose stills are compared, or, as in the public code, the clips of the ``action`` task,
    and the stills where there is no such task.
    """

    task: float = Field(1.0, ge=0)
    static: float = Field(1.0, ge=0)
    consistency: float = Field(100.0, ge=0)
    consistency_reduction: Literal["mean", "sum"] = "mean"
    consistency_on: Literal["clips", "action"] = "clips"


class TrainSection(RunSection):
    """How long and how fast; ``learning_rate`` belongs to a batch of 512 and scales with it if ``linear_scaling``.

    No batch holds more than ``batch_size`` videos, of any task. An epoch ends when the ``longest`` source of batches
    has been passed (shorter ones start again), or with the ``shortest``. The heads of ``pretrained_heads`` start
    trained on raw features, others fresh. A head learns by its ``own`` loss or by its part of the ``weighted`` sum.
    An action clip passes the adapter within its ``video``, as it will when the adapter is applied, so that time
    attention learns from the task; or as a ``clip`` alone. The adapter is that of the ``last`` epoch, or the one with
    which actions of validation videos were told best (``best_validation``; every second epoch is looked at; without an
    action task it is the last). The rate is ``constant``, or falls in equal steps to 0 at the end (``linear``), and
    gradients longer than ``gradient_clip`` are shortened to it, but for heads that have recipes of their own.
    """

    epochs: int = Field(100, ge=1)
    batch_size: int = Field(512, ge=2)
    learning_rate: float = Field(1e-4, gt=0)
    linear_scaling: bool = True
    epoch_ends: Literal["longest", "shortest"] = "longest"
    pretrained_heads: tuple[str, ...] = TASKS
    head_gradients: Literal["own", "weighted"] = "own"
    action_context: Literal["video", "clip"] = "video"
    clips_per_video: int = Field(1, ge=0)
    keep: Literal["last", "best_validation"] = "last"
    schedule: Literal["constant", "linear"] = "constant"
    gradient_clip: float | None = Field(None, gt=0)

    @field_validator("pretrained_heads")
    @classmethod
    def _are_of_tasks(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return require_tasks(names, info.field_name)


class TrainedSettings(Settings):
    """What adversarial training reads; ``task_weights`` and ``heads`` are by task, heads by name (`tasks/heads/`).

    ``usual_heads`` are the heads of tasks for which ``heads`` name none; those of tasks that are not there are not
    looked at.
    """

    adapter: AdapterSection = AdapterSection()
    loss: TaskLoss = TaskLoss()
    train: TrainSection = TrainSection()
    task_weights: dict[str, float] = Field(default_factory=dict)
    heads: dict[str, str] = Field(default_factory=dict)
    usual_heads: dict[str, str] = Field(default_factory=dict)

    def task_options(self) -> dict[str, Any]:
        return {
            "clips_per_video": self.train.clips_per_video,
            "whole_videos": self.train.action_context == "video",
            "batch_size": self.train.batch_size,
            "heads": self.usual_heads | self.heads,
        }

    @field_validator("task_weights", "heads", "usual_heads")
    @classmethod
    def _are_of_tasks(cls, values: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        return require_tasks(values, info.field_name)
