"""Early warning: is the adapter still saying something about its input?"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from latentveil.errors import CollapsedTrainingError

MIN_VARIANCE_RATIO = 1e-4
MAX_DEAD_FRACTION = 0.5


@dataclass(frozen=True)
class Health:
    """``variance_ratio``: variance of the outputs over that of the inputs; ``dead_fraction``: constant dimensions."""

    variance_ratio: float
    dead_fraction: float
    finite: bool

    def to_dict(self) -> dict[str, float]:
        return asdict(self)


def examine(before: Tensor, after: Tensor) -> Health:
    """Compare clip features before and after the adapter, both (N, D)."""
    finite = bool(torch.isfinite(after).all())
    if not finite:
        return Health(variance_ratio=float("nan"), dead_fraction=1.0, finite=False)
    variance_before, variance_after = before.var(dim=0), after.var(dim=0)
    alive_before = variance_before > 0
    dead = alive_before & (variance_after <= 1e-8 * variance_before)
    return Health(
        variance_ratio=float(variance_after.sum() / variance_before.sum().clamp_min(1e-30)),
        dead_fraction=float(dead.sum() / alive_before.sum().clamp_min(1)),
        finite=True,
    )


def refuse_collapse(health: Health, epoch: int) -> None:
    """Stop the training when its result can no longer be of use."""
    if not health.finite:
        raise CollapsedTrainingError(
            f"adapter outputs must be finite, got NaN or infinity in epoch {epoch}. "
            "Lower train.learning_rate or the budget weights loss.static and loss.cross."
        )
    if health.variance_ratio < MIN_VARIANCE_RATIO or health.dead_fraction > MAX_DEAD_FRACTION:
        raise CollapsedTrainingError(
            f"adapter outputs must vary with the input, got {health.variance_ratio:.1e} of the input's variance and "
            f"{health.dead_fraction:.0%} constant dimensions in epoch {epoch}. "
            "Raise loss.consistency or loss.task, or lower loss.static and loss.cross."
        )
