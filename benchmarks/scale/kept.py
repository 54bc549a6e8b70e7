"""What was measured, as JSON in docs/measured/scale: a later run adds to it, and the page is written from it alone."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.speed.__main__ import machine

FOLDER = Path(__file__).parents[2] / "docs" / "measured" / "scale"


def read(part: str, *, folder: Path = FOLDER) -> dict[str, Any]:
    """What is known of one part (stages, encoders, workers); {} where nothing was measured yet."""
    path = folder / f"{part}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def add(part: str, keys: tuple[str, ...], value: dict[str, Any], *, folder: Path = FOLDER) -> None:
    """Keep a measurement under its keys, in place of an older one, with when it was taken beside what load."""
    folder.mkdir(parents=True, exist_ok=True)
    found = read(part, folder=folder)
    place = found
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = value | {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "load": round(os.getloadavg()[0], 1),
    }
    found["machine"] = machine()
    (folder / f"{part}.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
