"""What a tuning found: every trial, and the one to take."""

from __future__ import annotations

from dataclasses import dataclass, field

from latentveil.adapters.adapter import Adapter
from latentveil.report.words import more_in_words, percent
from latentveil.results.record import Record
from latentveil.tuning.trial import Trial


@dataclass(frozen=True, eq=False)
class Tuning(Record):
    """All trials, which of them was ``chosen``, and its ``adapter``, fitted on all training videos.

    ``reached`` says whether the chosen one keeps the share ``keep`` of every task. Its numbers are those of the
    validation videos it was chosen on, so they flatter it.
    """

    method: str
    keep: float
    attacks: list[str]
    graded_videos: int
    graded_people: int | None
    trials: list[Trial]
    chosen: int
    reached: bool
    adapter: Adapter | None = field(default=None, compare=False)

    @property
    def settings(self) -> dict[str, str]:
        """The chosen settings."""
        return self.trials[self.chosen].settings

    def __str__(self) -> str:
        best = self.trials[self.chosen]
        told = "enough of every task" if self.reached else "too little of some task"
        more = more_in_words(best.mean_removed)
        change = (
            f"{more} more leaks than before"
            if more
            else f"{percent(best.mean_removed)} of what leaks is gone"
        )
        return (
            f"{in_words(self.settings)}: {change}, at least "
            f"{best.least_kept or 0:.1%} of every task is kept ({told}; the best of {len(self.trials)} trials on "
            f"{self.graded_videos} validation videos)"
        )


def in_words(settings: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
