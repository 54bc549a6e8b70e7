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
MEDIAN = float(np.sqrt(np.pi / 2))  # how much more a median of normal numbers scatters than their mean

RULE = (
    "each term of the loss, times its weight, is smoothed to its median over a fifth of the epochs; between the last "
    f"fifth and the one before none of them moves by more than {TOLERANCE:.0%} of the largest move since the first "
    f"epoch, or by more than {TOLERANCE * SMALLEST_MOVE:g} nats where that is more. Where videos are rewritten, "
    "epochs are a few small batches, so a move counts as far as it exceeds its standard error, by how epochs scatter "
    "in both fifths. It says that longer training would change little soon; it does not rule out a jump later"
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


def drift_of(terms: np.ndarray | Sequence[Sequence[float]], *, beyond_luck: bool = False) -> float:
    """The same of terms (E, K), epoch by epoch; with ``beyond_luck`` as far as it exceeds its standard error."""
    terms = np.asarray(terms)
    fifth = len(terms) // 5
    if fifth == 0:
        return 1.0
    # Medians: adversarial training has spikes of single epochs.
    fifths = terms[-2 * fifth :].reshape(2, fifth, -1)
    before, last = np.median(fifths, axis=1)
    whole = np.abs(last - terms[0]).max()
    moved = np.abs(last - before)
    if beyond_luck:
        moved = np.maximum(0, moved - standard_error(fifths))
    return float(moved.max() / max(whole, SMALLEST_MOVE))


def standard_error(parts: np.ndarray) -> np.ndarray:
    """That of the difference between the medians of two parts (2, n, K), by how epochs scatter within them: (K,)."""
    scatter = parts.std(axis=1, ddof=1) if parts.shape[1] > 1 else np.zeros((2, parts.shape[2]))
    return MEDIAN * np.sqrt(np.square(scatter).sum(axis=0) / parts.shape[1])


def weighted_terms(log: Sequence[dict[str, float]], config: TrainedSettings) -> np.ndarray:
    """The terms of Eq. 7 that count, each times its weight, epoch by epoch: (E, K)."""
    weights = {
        name: config.loss.task * config.task_weights.get(name.removeprefix("task_"), 1.0)
        for name in log[0]
        if name.startswith("task_")
    }
    weights |= {name: getattr(config.loss, name) for name in LOSSES if name in log[0]}
    return np.array([[weight * line[name] for name, weight in weights.items() if weight] for line in log])
