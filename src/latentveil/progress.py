"""How far long work is: one callback everywhere, shown as bars in a terminal or a notebook, else as lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from latentveil.printable import printable

SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True)
class Progress:
    """``done`` of ``total`` steps (None: not known) of one ``stage`` of the work; ``note`` says what just happened."""

    stage: str
    done: int
    total: int | None = None
    note: str = ""


OnProgress = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """For whoever does not want to know."""


@contextmanager
def shown(wanted: bool | OnProgress = True, *, stream: TextIO | None = None) -> Iterator[OnProgress]:
    """A callback that shows progress on standard error: bars where they can move, else a line now and then.

    ``wanted`` is False for silence, or a callback of the caller's own.
    """
    stream = stream or sys.stderr
    if not isinstance(wanted, bool):
        yield wanted
    elif not wanted:
        yield silent
    elif stream.isatty() or _in_notebook():
        with _bars(stream) as on_progress:
            yield on_progress
    else:
        yield Lines(stream)


@contextmanager
def _bars(stream: TextIO) -> Iterator[OnProgress]:
    """A bar for each stage, gone when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with RichProgress(*columns, console=Console(file=stream), transient=True) as bars:
        stages: dict[str, int] = {}

        def on_progress(step: Progress) -> None:
            if step.stage not in stages:
                stages[step.stage] = bars.add_task(step.stage, total=step.total, note="")
            bars.update(stages[step.stage], completed=step.done, total=step.total, note=printable(step.note))  # type: ignore[arg-type]

        yield on_progress


class Lines:
    """A line when a stage begins and when it ends, and every few seconds in between."""

    def __init__(self, stream: TextIO, *, now: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream
        self.now = now
        self._stage = ""
        self._told_at = -SECONDS_BETWEEN_LINES

    def __call__(self, step: Progress) -> None:
        ended = step.total is not None and step.done >= step.total
        waited = self.now() - self._told_at >= SECONDS_BETWEEN_LINES
        if step.stage != self._stage or ended or waited:
            amount = f"{step.done} of {step.total}" if step.total is not None else f"{step.done}"
            note = printable(step.note)
            print(f"{step.stage}: {amount} {note}".rstrip(), file=self.stream, flush=True)
            self._stage, self._told_at = step.stage, self.now()


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this, which shows bars although its streams are no terminal."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")
