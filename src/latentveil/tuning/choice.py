"""Which trial to take: of those that keep enough of every task, the one that hides the most."""

from __future__ import annotations

from collections.abc import Sequence

from latentveil.errors import InputError
from latentveil.tuning.trial import Trial


def keeps_enough(trial: Trial, keep: float) -> bool:
    """Whether every task of which something can be told keeps the share ``keep``."""
    return trial.least_kept is not None and trial.least_kept >= keep


def choose(trials: Sequence[Trial], *, keep: float) -> int:
    """The number of the best trial; where none keeps enough, the one whose worst task keeps the most."""
    if all(trial.mean_removed is None for trial in trials):
        raise InputError(
            "raw features must show some secret for certain on the validation videos, got none above guessing. "
            "Name other secrets, or mark more people 'val'."
        )
    if all(trial.least_kept is None for trial in trials):
        raise InputError(
            "raw features must be good for some task for certain on the validation videos, got none above guessing. "
            "Name other tasks, or mark more videos 'val'."
        )
    enough = [number for number, trial in enumerate(trials) if keeps_enough(trial, keep)]
    if enough:
        return max(enough, key=lambda number: trials[number].mean_removed or 0.0)
    return max(range(len(trials)), key=lambda number: trials[number].least_kept or 0.0)
