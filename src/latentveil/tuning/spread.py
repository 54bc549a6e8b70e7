"""The trials of a tuning, here or on the workers of an engine: one combination of settings is a task."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from latentveil.adapters.adapter import Adapter
from latentveil.errors import InputError, Notice
from latentveil.machine.engines import Crew, Outcome
from latentveil.tuning.finished import FinishedTrials
from latentveil.tuning.result import in_words
from latentveil.tuning.trial import Ruler, Trial


@dataclass(frozen=True)
class TrialTask:
    """One combination of settings, and which of all it is."""

    number: int
    settings: dict[str, str]


@dataclass(frozen=True, eq=False)
class TrialWork:
    """What a worker holds: the ruler with its videos, and ``fit``, which takes features, labels and ``settings``."""

    ruler: Ruler
    fit: Callable[..., Adapter]

    def begin(self) -> Callable[[TrialTask], Trial]:
        return self.measure

    def measure(self, task: TrialTask) -> Trial:
        """Fit and grade; what a user should know of a fit is said of the chosen one, once."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            adapter = self.fit(self.ruler.raw, self.ruler.labels, settings=task.settings)
        return self.ruler.grade(adapter, task.settings)


def run_trials(
    work: TrialWork,
    wanted: Sequence[dict[str, str]],
    *,
    finished: FinishedTrials,
    crew: Crew | None,
    on_done: Callable[[str], None],
) -> list[Trial]:
    """The trial of every combination in ``wanted``, in that order, side by side on a ``crew`` where there is one.

    Trials in ``finished`` are not done again, and new ones are kept there. ``on_done`` is told each that has ended.
    """
    found: dict[int, Trial] = {}
    waiting = []
    for number, settings in enumerate(wanted):
        known = finished.recall(settings)
        if known is None:
            waiting.append(TrialTask(number, settings))
        else:
            found[number] = known
            on_done(in_words(settings))
    with closing(_here(work, waiting) if crew is None else crew.map(work.begin, waiting)) as outcomes:
        for outcome in outcomes:
            what = in_words(outcome.task.settings)
            if outcome.result is None:
                raise InputError(f"the trial of {what} must end, got none: {outcome.lost}.")
            finished.keep(outcome.result)
            found[outcome.task.number] = outcome.result
            on_done(what)
    return [found[number] for number in range(len(wanted))]


def _here(work: TrialWork, tasks: Sequence[TrialTask]) -> Generator[Outcome[TrialTask, Trial]]:
    for task in tasks:
        yield Outcome(task, work.measure(task))
