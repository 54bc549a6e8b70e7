"""What was measured, kept in git: one small JSON file for each row, with an entry for every seed; nobody is named."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from latentveil.bench.runner import read_results
from latentveil.errors import InputError

MEASURED = Path(__file__).parents[3] / "docs" / "measured" / "pixels"
Entries = dict[str, dict[int, dict[str, Any]]]  # row -> seed -> entry of `veil bench`


def file_name(row: str) -> str:
    return re.sub("[^a-z0-9]+", "-", row.lower()).strip("-") + ".json"


def read_entries(folder: Path = MEASURED) -> Entries:
    """What is kept, by row and seed."""
    found: Entries = {}
    for path in sorted((folder / "rows").glob("*.json")):
        kept = json.loads(path.read_text())
        found[kept["row"]] = {int(seed): entry for seed, entry in kept["seeds"].items()}
    return found


def collect(results: Path, folder: Path = MEASURED) -> Entries:
    """Add the entries of a bench's results file to what is kept; one that was made otherwise is refused."""
    found = read_entries(folder)
    for entry in read_results(results):
        seeds = found.setdefault(entry["name"], {})
        for other in seeds.values():
            if _made(other) != _made(entry):
                raise InputError(
                    f"{results} must be of the settings that are kept, got others for the row {entry['name']!r}. "
                    f"Remove {file_name(entry['name'])}, and measure all its seeds again."
                )
        seeds[entry["seed"]] = entry
    for row, seeds in found.items():
        kept = {"row": row, "seeds": {str(seed): seeds[seed] for seed in sorted(seeds)}}
        write_json(folder / "rows" / file_name(row), kept)
    return found


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def _made(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry was made from, but for the seed."""
    made = json.loads(json.dumps(entry["made_for"]))
    made["settings"]["train"].pop("seed", None)
    return {"asked": entry["asked"], **{name: made[name] for name in ("method", "tasks", "data", "settings")}}
