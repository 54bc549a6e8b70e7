"""Commands in forked children, which may be killed, starved or lied to; the libraries are there already."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latentveil.cli import main as command_line
from latentveil.files.run_folder import Learners, RunFolder
from latentveil.machine.memory import allow_more

CRASHED = 70  # a traceback in the child


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status (negative for a signal), what it said, and what it took."""

    status: int
    said: str
    seconds: float
    megabytes: float


@dataclass
class Child:
    """A command at work; ``output`` is where it says what it says."""

    process: int
    output: Path
    started: float

    def kill(self) -> bool:
        """Whether it was still at work."""
        ended, _ = os.waitpid(self.process, os.WNOHANG)
        if ended:
            self.output.unlink()
            return False
        os.kill(self.process, signal.SIGKILL)
        self.wait()
        return True

    def wait(self) -> Ended:
        _, status, used = os.wait4(self.process, 0)
        said = self.output.read_text(errors="replace")
        self.output.unlink()
        seconds = time.monotonic() - self.started
        return Ended(os.waitstatus_to_exitcode(status), said, seconds, used.ru_maxrss / 1024)


def know_all_commands() -> None:
    """Put the command line together once, before anything is forked."""
    if not any(command.name == "verify" for command in command_line.app.registered_commands):
        command_line._add_subcommands()


def start(
    arguments: Sequence[str],
    *,
    prepare: Callable[[], None] = lambda: None,
    most_seconds: int = 120,
    most_megabytes: int | None = None,
) -> Child:
    """Start `veil` with these arguments; ``prepare`` changes the child's world first.

    Beyond ``most_seconds`` it is ended by the kernel; ``most_megabytes`` of new memory is all that it gets.
    """
    know_all_commands()
    descriptor, name = tempfile.mkstemp(prefix="soak-")
    started = time.monotonic()
    process = os.fork()
    if process:
        os.close(descriptor)
        return Child(process, Path(name), started)
    status = CRASHED
    try:
        os.setsid()
        os.dup2(descriptor, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False))
        warnings.simplefilter("ignore")
        signal.alarm(most_seconds)
        if most_megabytes is not None:
            allow_more(most_megabytes)
        prepare()
        status = command_line.run(list(arguments))
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


def run(arguments: Sequence[str], **options: Any) -> Ended:
    """Start `veil` and wait for its end; options are those of `start`."""
    return start(arguments, **options).wait()


def keep_every_epoch() -> None:
    """Have trainings write a checkpoint after every epoch, as long ones do every minute."""
    usual = RunFolder.save

    def save(self: RunFolder, players: Learners, epoch: int, *, last: bool) -> None:
        self._saved_at = -float("inf")
        usual(self, players, epoch, last=last)

    RunFolder.save = save  # type: ignore[method-assign]


def wrong_with(ended: Ended, *statuses: int) -> str | None:
    """Why an end is a finding: a traceback, a signal, another status than those allowed, or no sentence."""
    if "Traceback" in ended.said or ended.status in (CRASHED, *range(-64, 0)):
        return f"status {ended.status}, said {ended.said[-600:]!r}"
    if ended.status not in statuses:
        return f"status {ended.status} instead of {statuses}, said {ended.said[-300:]!r}"
    if ended.status == 2 and "veil: " not in ended.said:
        return f"status 2 without a sentence, said {ended.said[-300:]!r}"
    return None
