"""What was measured beside the tables, kept in git: small JSON files that name nobody."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
MEASURED = DOCS / "measured" / "pixels"


def file_name(row: str) -> str:
    return re.sub("[^a-z0-9]+", "-", row.lower()).strip("-") + ".json"


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")
