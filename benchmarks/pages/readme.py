"""Writes the table of results on real people in README.md from what is kept of the recipes' runs.

    python -m benchmarks.pages.readme [--measured docs/measured/results] [-o README.md]

A column is shown only where raw features lie between guessing and the ceiling; the others are named below the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.claims import why_blind
from latentveil.bench.measured import read_measured
from latentveil.bench.recipe import Recipe, load_recipe
from latentveil.bench.run import gather
from latentveil.bench.scores import Entries, Score, mean_and_half_width, mean_score
from latentveil.errors import InputError

PAGE = Path(__file__).parents[2] / "README.md"
MEASURED = PAGE.parent / "docs" / "measured" / "results"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
NOTHING = "–"
# In this order, where somebody has run them.
ROWS = ("raw", "only noise", "noise 1", "veil", "veil, motion", "transport", "released")


@dataclass(frozen=True)
class Column:
    """A column of a recipe's page, and what the README calls it."""

    recipe: str
    name: str
    heading: str


COLUMNS = (
    Column("peta", "attributes, best attack", "pedestrians: six attributes"),
    Column("wlasl100", "gender, stills", "signers: gender"),
    Column("wlasl100", "linking, any recording", "signers: linking"),
    Column("thetis", "linking, any recording", "players: linking"),
    Column("thetis", "linking pooled, any recording", "players: linking, pooled"),
    Column("thetis", "seen actions", "players: seen shots"),
    Column("thetis", "unseen actions", "players: unseen shots"),
    Column("utkface", "attributes, best attack", "faces: three attributes"),
    Column("lsa64", "identity, clips", "ten signers: identity"),
    Column("lsa64", "unseen actions", "ten signers: unseen signs"),
)


@dataclass(frozen=True, eq=False)
class Measured:
    """What the seeds of one recipe found."""

    recipe: Recipe
    found: Entries

    @classmethod
    def read(cls, name: str, folder: Path) -> Measured | None:
        """None where nobody has run the recipe."""
        entries = read_measured(folder / name)
        if not entries:
            return None
        recipe = load_recipe(name)
        return cls(recipe, gather(recipe, entries))

    def raw(self, column: str) -> list[Score]:
        return list(self.found.scores(self.recipe.raw, column).values())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measured", type=Path, default=MEASURED, help="folder that keeps what was run")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page with the table in it")
    options = parser.parse_args(arguments)
    table = results_table(options.measured)
    before, _, rest = options.output.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    options.output.write_text(before + BEGIN + "\n" + table + END + after)


def results_table(folder: Path) -> str:
    """The table, who stands behind its columns, and which columns can carry no headline."""
    measured = {name: Measured.read(name, folder) for name in dict.fromkeys(one.recipe for one in COLUMNS)}
    shown, left_out = [], []
    for column in COLUMNS:
        run = measured[column.recipe]
        raw = run.raw(column.name) if run else []
        if not raw:
            continue
        blind = why_blind(raw)
        if blind:
            left_out.append(f"{column.heading} ({blind})")
        else:
            shown.append(column)
    if not shown:
        raise InputError(
            f"{folder} must hold results of {', '.join(measured)} that can carry a headline, got none. Run "
            "`make bench-results` first."
        )
    lines = [
        f"| features | {' | '.join(column.heading for column in shown)} |",
        "|---" * (len(shown) + 1) + "|",
        *(line for row in ROWS if (line := _line(row, shown, measured))),
        f"| guessing | {' | '.join(_guessing(column, measured) for column in shown)} |",
        f"| people, videos, recordings | {' | '.join(_behind(column, measured) for column in shown)} |",
        "",
        "Means over seeds, ± half of the 95 % interval over seeds; pages and intervals over people: docs/results.",
    ]
    if left_out:
        lines.append(f"Good for no headline, and left out: {'; '.join(left_out)}.")
    return "\n".join(lines) + "\n"


def _line(row: str, columns: Sequence[Column], measured: dict[str, Measured | None]) -> str:
    """One row of features; empty where nobody has run it."""
    values = [
        run.found.values(row, column.name) if (run := measured[column.recipe]) else [] for column in columns
    ]
    if not any(values):
        return ""
    cells = [mean_and_half_width(found) if found else NOTHING for found in values]
    return f"| {row} | {' | '.join(cells)} |"


def _guessing(column: Column, measured: dict[str, Measured | None]) -> str:
    chance = _raw_mean(column, measured).chance
    return NOTHING if chance is None else f"{chance:.3f}"


def _behind(column: Column, measured: dict[str, Measured | None]) -> str:
    score = _raw_mean(column, measured)
    return ", ".join(str(count or NOTHING) for count in (score.people, score.videos, score.recordings))


def _raw_mean(column: Column, measured: dict[str, Measured | None]) -> Score:
    run = measured[column.recipe]
    assert run is not None
    return mean_score(run.raw(column.name))


if __name__ == "__main__":
    main()
