"""Every knob of fitting an adapter, the named presets, and a strict way to change single values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from latentveil.errors import InputError

TASKS = ("action", "detection", "anomaly")


class _Strict(BaseModel):
    """Settings that refuse unknown names and wrong types, and that never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AdapterConfig(_Strict):
    """The network f_A and where it starts from."""

    architecture: Literal["attention", "released", "mlp"] = "attention"
    layers: int = Field(3, ge=1)
    heads: int = Field(8, ge=1)
    attends: Literal["time", "none", "batch"] = "time"
    init: Literal["exact", "reconstruct"] = "exact"
    reconstruct_epochs: int = Field(100, ge=0)
    reconstruct_learning_rate: float = Field(2e-5, gt=0)


class LossConfig(_Strict):
    """The weights of Eq. 7 and the shapes of its terms.

    ``static`` (omega_B) weighs the budget between two stills of a video, ``cross`` the one between a clip and a still
    of its video; ``bounded`` stops raising a budget once stills are as hard to match as by guessing.
    """

    task: float = Field(1.0, ge=0)
    static: float = Field(1.0, ge=0)
    cross: float = Field(0.0, ge=0)
    consistency: float = Field(100.0, ge=0)
    consistency_reduction: Literal["mean", "sum"] = "mean"
    temperature: float = Field(0.1, gt=0)
    symmetric: bool = True
    bounded: bool = False


class ErasureConfig(_Strict):
    """The dials of the closed-form methods.

    ``noise`` is a multiple of the features' typical spread, ``keep`` the number of directions that stay, ``stills`` the
    number of principal components of the stills that are erased, ``secrets`` what an oracle erases (empty: all).
    ``ridge``, ``phases`` and ``window`` belong to the methods `discriminant` and `codebook`, ``prototypes`` and
    ``softness`` to the latter; they are explained there, and for both ``keep`` and ``prototypes`` count for each task.
    Without a ``window`` the tasks decide: the whole video, or a clip where one of them looks within videos.
    """

    noise: float = Field(0.5, ge=0)
    keep: int = Field(64, ge=1)
    stills: int = Field(32, ge=0)
    secrets: tuple[str, ...] = ()
    ridge: float = Field(0.003, gt=0)
    phases: float = Field(1.0, ge=0)
    window: int | None = Field(None, ge=0)
    prototypes: int = Field(24, ge=1)
    softness: float = Field(0.15, gt=0)


class MotionConfig(_Strict):
    """The dials of the method `motion`.

    A direction stays if clips move in it at least ``ratio`` times as much as looks differ (variances); ``noise`` is
    drawn once per video, in units of the spread of looks.
    """

    ratio: float = Field(1.5, gt=0)
    noise: float = Field(0.3, ge=0)


class TrainConfig(_Strict):
    """How long and how fast; ``learning_rate`` belongs to a batch of 512 and scales with the batch size."""

    epochs: int = Field(100, ge=1)
    batch_size: int = Field(512, ge=2)
    learning_rate: float = Field(1e-4, gt=0)
    observer_learning_rate: float = Field(1e-3, gt=0)
    pretrain_heads: bool = True
    clips_per_video: int = Field(1, ge=0)
    seed: int = 0
    device: str = "cpu"


class FitConfig(_Strict):
    """All settings of one fit; ``method`` names a file in `methods/`, ``heads`` name heads of `tasks/heads.py`."""

    method: str = "splavu"
    adapter: AdapterConfig = AdapterConfig()
    loss: LossConfig = LossConfig()
    train: TrainConfig = TrainConfig()
    erasure: ErasureConfig = ErasureConfig()
    motion: MotionConfig = MotionConfig()
    task_weights: dict[str, float] = Field(default_factory=dict)
    heads: dict[str, str] = Field(default_factory=dict)

    @field_validator("task_weights", "heads")
    @classmethod
    def _are_of_tasks(cls, values: dict[str, Any]) -> dict[str, Any]:
        if not set(values) <= set(TASKS):
            raise ValueError(f"the tasks are {', '.join(TASKS)}")
        return values


PRESETS: dict[str, FitConfig] = {
    "veil": FitConfig(method="veil", erasure=ErasureConfig(keep=12, noise=0.5)),
    "paper": FitConfig(
        adapter=AdapterConfig(init="reconstruct"),
        loss=LossConfig(consistency_reduction="sum", symmetric=False),
    ),
    "released": FitConfig(
        adapter=AdapterConfig(architecture="released", attends="batch"),
        loss=LossConfig(consistency=100.0),
    ),
}


def load_config(preset: str, changes: Sequence[str] = ()) -> FitConfig:
    """A preset with single values changed by texts such as ``train.epochs=5``; unknown names are refused."""
    if preset not in PRESETS:
        raise InputError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}.")
    values = PRESETS[preset].model_dump()
    for change in changes:
        _set(values, change)
    try:
        return FitConfig.model_validate(values)
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise InputError(f"{name} must be valid, got {problem.get('input')!r}: {problem['msg']}.") from error


def _set(values: dict[str, Any], change: str) -> None:
    """Put the value of ``section.name=value`` into nested dictionaries."""
    path, equals, text = change.partition("=")
    if not equals:
        raise InputError(f"--set must be of the form section.name=value, got {change!r}.")
    *sections, name = path.strip().split(".")
    place = values
    for section in sections:
        if not isinstance(place.get(section), dict):
            raise InputError(f"--set must name a known setting, got {path!r}. Known: {_known(values)}.")
        place = place[section]
    by_task = (values.get("task_weights"), values.get("heads"))
    if name not in place and not any(place is names for names in by_task):
        raise InputError(f"--set must name a known setting, got {path!r}. Known: {_known(values)}.")
    several = isinstance(place.get(name), tuple)
    place[name] = tuple(part.strip() for part in text.split(",") if part.strip()) if several else text.strip()


def _known(values: dict[str, Any], prefix: str = "") -> str:
    names = []
    for name, value in values.items():
        names.append(
            _known(value, f"{prefix}{name}.") if isinstance(value, dict) and value else prefix + name
        )
    return ", ".join(names)
