"""The numbers behind the page, kept in git: one small JSON per set, to which later runs add seeds and rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / "docs" / "measured" / "transport"
DIGITS = 4
Entry = dict[str, Any]


def read_entries(name: str, folder: Path = FOLDER) -> list[Entry]:
    """What was measured of a set so far: a set, a row, a seed and its scores each."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.is_file() else []


def add_entry(entry: Entry, folder: Path = FOLDER) -> None:
    """Add an entry to those of its set, in place of one of the same row and seed."""
    key = (entry["row"], entry["seed"])
    kept = [old for old in read_entries(entry["set"], folder) if (old["row"], old["seed"]) != key]
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(_rounded(one)) for one in sorted([*kept, entry], key=lambda e: (e["row"], e["seed"]))]
    (folder / f"{entry['set']}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return round(value, DIGITS) if isinstance(value, float) else value
