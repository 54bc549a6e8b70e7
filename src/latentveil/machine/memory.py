"""How much memory this process has taken, and how much more it may take."""

from __future__ import annotations

import resource
from pathlib import Path

# What a process is taken to have where the system does not tell.
USUAL_BYTES = 1 << 30


def room_for(megabytes: float) -> int:
    """The bytes of address space, for RLIMIT_AS, that let this process take ``megabytes`` more than it has now."""
    return _bytes_now() + int(megabytes * 1e6)


def allow_more(megabytes: float) -> None:
    """From here on, refuse this process and its children more than ``megabytes`` beyond what it has now."""
    resource.setrlimit(resource.RLIMIT_AS, (room_for(megabytes),) * 2)


def _bytes_now() -> int:
    """The address space that this process has taken already."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # systems without /proc
        return USUAL_BYTES
