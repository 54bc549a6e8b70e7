"""Seconds and megabytes of an action, as the benchmarks take them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

Action = Callable[[], object]


def wall_seconds(action: Action) -> float:
    """What a clock on the wall says."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def core_seconds(action: Action) -> float:
    """The time of all cores together: what else the machine does counts little."""
    started = time.process_time()
    action()
    return time.process_time() - started


def least_seconds(
    action: Action, *, repeats: int, seconds: Callable[[Action], float] = wall_seconds
) -> float:
    """The least time of ``action`` after one run to warm up: other load on the machine only adds to it."""
    action()
    return min(seconds(action) for _ in range(repeats))


def peak_megabytes(action: Action) -> float:
    """How far this process's resident memory rises above where it is now while ``action`` runs (Linux)."""
    before = _status_megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    action()
    return _status_megabytes("VmHWM") - before


def most_megabytes() -> float:
    """The largest resident memory that this process has had (Linux); mapped files count while they are in memory."""
    return _status_megabytes("VmHWM")


def _status_megabytes(name: str) -> float:
    """A line of /proc/self/status: getrusage would count the process that started this one, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024 / 1e6
