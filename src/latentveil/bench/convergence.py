"""Whether a training has come to rest: judged by its own losses, never by what attackers find afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latentveil.methods.settings import TrainedSettings

TOLERANCE = 0.05
LOSSES = ("consistency", "static", "cross")
# In nats: of a training that moved less than this, the tolerance is a tenth of a nat, which a draw of clips moves, too.
SMALLEST_MOVE = 2.0

RULE = (
    "each term of the loss, times its weight, is smoothed to its median over a fifth of the epochs; between the last "
    f"fifth and the one before none of them moves by more than {TOLERANCE:.0%} of the largest move since the first "
    f"epoch, or by more than {TOLERANCE * SMALLEST_MOVE:g} nats where that is more. It says that longer training would "
    "change little soon; it does not rule out a jump later"
)


def describe_training(log: Sequence[dict[str, float]], config: TrainedSettings) -> dict[str, Any]:
    """The losses in the first epoch and over the last fifth, without their weights, and whether they rest."""
    names = [name for name in log[0] if name.startswith("task_") or name in LOSSES]
    end = log[-max(1, len(log) // 5) :]
    still = drift(log, config)
    return {
        "epochs": len(log),
        "first": {name: log[0][name] for name in names},
        "last": {name: float(np.median([line[name] for line in end])) for name in names},
        "drift": still,
        "converged": still <= TOLERANCE,
    }


def drift(log: Sequence[dict[str, float]], config: TrainedSettings) -> float:
    """How far the losses still moved at the end, as a share of how far they moved in all."""
    return drift_of(weighted_terms(log, config))


def drift_of(terms: np.ndarray | Sequence[Sequence[float]]) -> float:
    """The same of terms (E, K), epoch by epoch."""
    terms = np.asarray(terms)
    fifth = len(terms) // 5
    if fifth == 0:
        return 1.0
    # Medians: adversarial training has spikes of single epochs.
    last, before = np.median(terms[-fifth:], axis=0), np.median(terms[-2 * fifth : -fifth], axis=0)
    whole = np.abs(last - terms[0]).max()
    return float(np.abs(last - before).max() / max(whole, SMALLEST_MOVE))


def weighted_terms(log: Sequence[dict[str, float]], config: TrainedSettings) -> np.ndarray:
    """The terms of Eq. 7 that count, each times its weight, epoch by epoch: (E, K)."""
    weights = {
        name: config.loss.task * config.task_weights.get(name.removeprefix("task_"), 1.0)
        for name in log[0]
        if name.startswith("task_")
    }
    weights |= {name: getattr(config.loss, name) for name in LOSSES if name in log[0]}
    return np.array([[weight * line[name] for name, weight in weights.items() if weight] for line in log])
