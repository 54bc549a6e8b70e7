"""The soak: hostile files, bombs, kills, faults of machines, and what safety costs; writes docs/reliability.md.

Run: python -m benchmarks.soak [--cases N] [--kills N] [--tries N] [--seed N] [--only PART] [--page]
What is measured is kept in docs/measured/reliability.json, part by part; `--only` renews one part, `--page` none.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.soak.bombs import soak_bombs
from benchmarks.soak.commands import write_world
from benchmarks.soak.costs import checking_ratio, sandbox_ratios
from benchmarks.soak.faults import soak_faults
from benchmarks.soak.fuzz import fuzz
from benchmarks.soak.kills import soak_kills
from benchmarks.soak.page import render

PAGE, MEASURED = Path("docs/reliability.md"), Path("docs/measured/reliability.json")


def _world(place: Path) -> Path:
    write_world(place / "world")
    return place / "world"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["files", "bombs", "kills", "faults", "costs"])
    parser.add_argument("--page", action="store_true", help="write the page again from what is kept")
    chosen = parser.parse_args()
    parts: dict[str, Callable[[Path], Any]] = {
        "files": lambda _: fuzz(chosen.cases, seed=chosen.seed),
        "bombs": lambda place: soak_bombs(place, world=_world(place)),
        "kills": lambda place: soak_kills(chosen.kills, seed=chosen.seed, place=place, world=_world(place)),
        "faults": lambda place: soak_faults(place, world=_world(place), seed=chosen.seed, tries=chosen.tries),
        "costs": lambda _: {"checking": round(checking_ratio(), 2), "sandbox": sandbox_ratios()},
    }
    measured = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    for name, measure in parts.items():
        if not chosen.page and chosen.only in (None, name):
            with tempfile.TemporaryDirectory() as place:
                measured[name] = measure(Path(place))
            MEASURED.parent.mkdir(parents=True, exist_ok=True)
            MEASURED.write_text(json.dumps(measured, indent=1) + "\n")
    PAGE.write_text(render(measured))
    print(PAGE)


if __name__ == "__main__":
    main()
