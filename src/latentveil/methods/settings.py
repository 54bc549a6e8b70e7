"""The settings of methods that train an adapter: its network, the weights of Eq. 7, how long and how fast."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from latentveil.adapters.network import NETWORKS
from latentveil.config import TASKS, RunSection, Section, Settings


class AdapterSection(Section):
    """The network f_A and where it starts from.

    ``layers``, ``heads`` and ``attends`` are options of the networks that come with latentveil, as the network has them
    unless given; ``options`` are those of other packages' networks.
    """

    architecture: str = "attention"
    layers: int | None = Field(None, ge=1)
    heads: int | None = Field(None, ge=1)
    attends: Literal["time", "none", "batch"] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    init: Literal["exact", "reconstruct"] = "exact"
    reconstruct_epochs: int = Field(100, ge=0)
    reconstruct_learning_rate: float = Field(2e-5, gt=0)

    def network_options(self) -> dict[str, Any]:
        """The options of the network that were given."""
        named = {name: getattr(self, name) for name in ("layers", "heads", "attends")}
        return {name: value for name, value in named.items() if value is not None} | self.options

    @model_validator(mode="after")
    def _fits_its_network(self) -> AdapterSection:
        NETWORKS.get(self.architecture).check_options(self.network_options())
        return self


class TaskLoss(Section):
    """The weights of Eq. 7 that every adversarial training has.

    ``static`` (omega_B) weighs what the adapter trains against.
    """

    task: float = Field(1.0, ge=0)
    static: float = Field(1.0, ge=0)
    consistency: float = Field(100.0, ge=0)
    consistency_reduction: Literal["mean", "sum"] = "mean"


class TrainSection(RunSection):
    """How long and how fast; ``learning_rate`` belongs to a batch of 512 and scales with the batch size."""

    epochs: int = Field(100, ge=1)
    batch_size: int = Field(512, ge=2)
    learning_rate: float = Field(1e-4, gt=0)
    pretrain_heads: bool = True
    clips_per_video: int = Field(1, ge=0)


class TrainedSettings(Settings):
    """What adversarial training reads; ``task_weights`` and ``heads`` are by task, heads by name (`tasks/heads/`)."""

    adapter: AdapterSection = AdapterSection()
    loss: TaskLoss = TaskLoss()
    train: TrainSection = TrainSection()
    task_weights: dict[str, float] = Field(default_factory=dict)
    heads: dict[str, str] = Field(default_factory=dict)

    def task_options(self) -> dict[str, Any]:
        return {"clips_per_video": self.train.clips_per_video, "heads": self.heads}

    @field_validator("task_weights", "heads")
    @classmethod
    def _are_of_tasks(cls, values: dict[str, Any]) -> dict[str, Any]:
        if not set(values) <= set(TASKS):
            raise ValueError(f"the tasks are {', '.join(TASKS)}")
        return values
