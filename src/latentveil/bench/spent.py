"""What runs of the bench took: seconds of the clock and of cores, added up beside the results of each recipe."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole

SPENT = "spent.json"
Length = Literal["quick", "whole"]


@dataclass(frozen=True)
class Spent:
    """``seconds`` of the clock and ``core_seconds``, workers included, for ``entries`` (rows under a seed)."""

    seconds: float = 0.0
    core_seconds: float = 0.0
    entries: int = 0

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(
            round(self.seconds + other.seconds, 1),
            round(self.core_seconds + other.core_seconds, 1),
            self.entries + other.entries,
        )


class Clock:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._seconds, self._core_seconds = time.monotonic(), _core_seconds()

    def spent(self, *, entries: int) -> Spent:
        """What was spent so far, on ``entries`` new entries."""
        return Spent(time.monotonic() - self._seconds, _core_seconds() - self._core_seconds, entries)


def read_spent(folder: Path) -> dict[Length, Spent]:
    """What the runs in a recipe's folder took, quick and whole ones apart."""
    path = folder / SPENT
    if not path.is_file():
        return {}
    found = read_json(path, what="what runs took")
    return {length: Spent(**values) for length, values in found.items()}


def add_spent(folder: Path, length: Length, spent: Spent) -> None:
    """Add a run to what the folder's runs took."""
    known = read_spent(folder)
    known[length] = known.get(length, Spent()).plus(spent)
    write_spent(folder, known)


def write_spent(folder: Path, spent: dict[Length, Spent]) -> Path:
    path = folder / SPENT
    write_whole(
        path, json.dumps({length: asdict(one) for length, one in sorted(spent.items())}, indent=1) + "\n"
    )
    return path


def _core_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])
