"""Which of the processes that `torchrun` started this one is."""

from __future__ import annotations

import os


def num_processes() -> int:
    """How many processes `torchrun` started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Whether this process writes and speaks for all."""
    return int(os.environ.get("RANK", "0")) == 0
