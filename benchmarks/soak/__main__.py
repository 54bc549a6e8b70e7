"""The soak: hostile files, bombs, kills, faults of machines, and what safety costs; writes docs/reliability.md.

Run: python -m benchmarks.soak [--cases N] [--kills N] [--tries N] [--seed N] [--only PART] [--name ROW] [--page]
What is measured is kept in docs/measured/reliability.json, row by row; a row without findings is not
measured again with the same settings, so that a soak that was stopped goes on. `--page` writes the page alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.soak.bombs import BOMBS, soak_bomb
from benchmarks.soak.commands import COMMANDS, write_world
from benchmarks.soak.costs import COSTS
from benchmarks.soak.faults import FAULTS, soak_fault
from benchmarks.soak.fuzz import fuzz, shares
from benchmarks.soak.kills import soak_kills
from benchmarks.soak.page import render
from benchmarks.soak.targets import TARGETS

PAGE, MEASURED = Path("docs/reliability.md"), Path("docs/measured/reliability.json")


@dataclass(frozen=True)
class Row:
    """A row of the page: what measures it, and the settings under which it is not done again."""

    part: str
    name: str
    settings: dict[str, int]
    measure: Callable[..., dict[str, Any]]


def all_rows(*, cases: int, kills: int, tries: int, seed: int) -> Iterator[Row]:
    for name, number in shares(cases, [target.name for target in TARGETS]).items():
        yield Row("files", name, {"cases": number, "seed": seed}, _fuzz)
    for bomb in BOMBS:
        yield Row("bombs", bomb.what, {}, soak_bomb)
    for name, number in shares(kills, list(COMMANDS)).items():
        yield Row("kills", name, {"kills": number, "seed": seed}, soak_kills)
    for name in FAULTS:
        yield Row("faults", name, {"tries": tries, "seed": seed}, soak_fault)
    for name in COSTS:
        yield Row("costs", name, {}, _cost)


def _fuzz(name: str, *, place: Path, world: Path, **settings: int) -> dict[str, Any]:
    return fuzz(name, material=world, **settings)


def _cost(name: str, *, place: Path, world: Path) -> dict[str, Any]:
    return COSTS[name]()


def measure(rows: Iterable[Row], measured: dict[str, Any]) -> None:
    """Measure what is not there yet, and keep each row as soon as it is."""
    with tempfile.TemporaryDirectory() as place:
        world = Path(place) / "world"
        for number, row in enumerate(rows):
            known = measured.setdefault(row.part, {}).get(row.name)
            if known and known["settings"] == row.settings and not known.get("findings"):
                continue
            if not world.exists():
                write_world(world)
            folder = Path(place) / str(number)
            folder.mkdir()
            found = row.measure(row.name, place=folder, world=world, **row.settings)
            measured[row.part][row.name] = {"settings": row.settings} | found
            MEASURED.parent.mkdir(parents=True, exist_ok=True)
            MEASURED.write_text(json.dumps(measured, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["files", "bombs", "kills", "faults", "costs"])
    parser.add_argument("--name", help="one row of a part")
    parser.add_argument("--page", action="store_true", help="write the page again from what is kept")
    chosen = parser.parse_args()
    measured = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    rows = all_rows(cases=chosen.cases, kills=chosen.kills, tries=chosen.tries, seed=chosen.seed)
    if not chosen.page:
        wanted = (row for row in rows if chosen.only in (None, row.part) and chosen.name in (None, row.name))
        measure(wanted, measured)
    PAGE.write_text(render(measured))
    print(PAGE)


if __name__ == "__main__":
    main()
