"""What is kept of each finished cell, in docs/measured/published: numbers over people, none of a single person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.published.grade import Answers
from benchmarks.published.shares import Reading

DIGITS = 5
Entry = dict[str, Any]


def told(answers: dict[str, Answers]) -> Entry:
    """The answers of all graders on one set as numbers to keep."""
    any_answers = next(iter(answers.values()))
    return {
        "stills": len(any_answers.person),
        "people": len(np.unique(any_answers.person)),
        "positives": np.round(any_answers.target.mean(axis=0), DIGITS).tolist(),
        "chosen": {grader: found.chosen for grader, found in answers.items()},
        "average_precision": {grader: found.average_precisions() for grader, found in answers.items()},
        "readings": {grader: _rounded(Reading.of(found)) for grader, found in answers.items()},
    }


def reading(graded: Entry, grader: str) -> Reading:
    """What ``told`` kept of one grader."""
    kept = graded["readings"][grader]
    return Reading(np.array(kept["precision"]), np.array(kept["chance"]), graded["people"])


def write(folder: Path, key: str, entry: Entry) -> None:
    """One file per cell."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.json").write_text(json.dumps(entry) + "\n")


def read(folder: Path, source: str) -> list[Entry]:
    """The finished cells that were trained on ``source``, sorted by name."""
    entries = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    return [entry for entry in entries if entry["cell"]["source"] == source]


def _rounded(found: Reading) -> dict[str, list[float]]:
    return {name: np.round(getattr(found, name), DIGITS).tolist() for name in ("precision", "chance")}
