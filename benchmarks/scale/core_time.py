"""Core time by thread and of the whole machine, as Linux counts it in /proc."""

from __future__ import annotations

import os
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# In the first line of /proc/stat: user, nice, system, idle, iowait, …; these two are the cores that nobody used.
IDLE = (3, 4)
# Of the fields after the name in /proc/PID/task/TID/stat.
USER, SYSTEM = 11, 12


def thread_seconds(process: int) -> tuple[float, float]:
    """What the first thread of a process has used, and all its others together that are still alive."""
    seconds = {
        int(task.name): _used((task / "stat").read_text()) for task in Path(f"/proc/{process}/task").iterdir()
    }
    first = seconds.pop(process)
    return first, sum(seconds.values())


def machine_seconds() -> float:
    """What all programs have used on all cores, and what the machine's own host took away from it."""
    counted = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]  # guests are counted as users, too
    return sum(int(ticks) for place, ticks in enumerate(counted) if place not in IDLE) / TICKS_PER_SECOND


def _used(line: str) -> float:
    fields = line.rpartition(")")[2].split()  # a name may hold spaces
    return (int(fields[USER]) + int(fields[SYSTEM])) / TICKS_PER_SECOND
