"""The trials of a tuning as a page to read."""

from __future__ import annotations

from latentveil.report.words import share_in_words
from latentveil.tuning.result import Tuning
from latentveil.tuning.trial import Trial
from latentveil.types import Interval


def render(found: Tuning) -> str:
    """A table with a line per trial, the chosen one in bold, and what the numbers are worth."""
    first = found.trials[0]
    people = "" if found.graded_people is None else f" of {found.graded_people} people"
    names = [*first.settings, *(f"{r}: removed" for r in first.removed), *(f"{t}: kept" for t in first.kept)]
    verdict = (
        f"Of the trials that keep {found.keep:.0%} of every task, the chosen one (bold) hides the most."
        if found.reached
        else f"No trial keeps {found.keep:.0%} of every task; the chosen one (bold) keeps the most."
    )
    return "\n".join(
        [
            f"# Settings of {found.method}, tried on validation videos",
            "",
            f"{verdict} Graded on {found.graded_videos} validation videos{people}, with the attacks "
            f"{', '.join(found.attacks)}. Test videos were not read. The chosen trial is the best of "
            f"{len(found.trials)} on these videos, so its numbers flatter it: audit the adapter on test videos.",
            "",
            f"| {' | '.join(names)} |",
            f"|{'---|' * len(names)}",
            *(_line(trial, bold=number == found.chosen) for number, trial in enumerate(found.trials)),
            "",
            "A dash: raw features show nothing above guessing for certain there, so it cannot be told. A negative "
            "share: more is found than before.",
            "",
        ]
    )


def _line(trial: Trial, *, bold: bool) -> str:
    cells = [*trial.settings.values(), *map(_share, trial.removed.values())]
    cells += ["–" if share is None else f"{share:.1%}" for share in trial.kept.values()]
    return f"| {' | '.join(f'**{cell}**' if bold else cell for cell in cells)} |"


def _share(removed: Interval | None) -> str:
    return share_in_words(None if removed is None else removed.value, removed)
