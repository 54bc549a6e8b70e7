"""The README's table of rewritten videos: what fresh classifiers recognise in them, and what attackers find."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.bench.index import measured_tables
from latentveil.bench.scores import Entries, Score, mean_and_half_width, mean_score
from latentveil.errors import InputError

ACTIONS, SECRETS = "actions", "secrets, "  # the columns of attackers begin like this
RAW = "raw"
# The rows that are shown, the table that has each, and what the README calls it.
SHOWN = {
    ("spact1", RAW): "as it is",
    ("spact1", "downsample 4x"): "`downsample`, 4x",
    ("spact1", "blurred people, strong"): "people blurred",
    ("spact1", "black people"): "people black",
    ("spact3", "spact, no f_B"): "`spact` without its privacy branch (control)",
    ("spact1", "spact"): "`spact`",
    ("penalty1", "penalty, B 0.3"): "`penalty`",
    ("spact1", "vita"): "`vita` (told the secrets)",
}


def rewritten_table(measured: Path) -> str:
    """A line per row that was measured, and who stands behind it; from the results kept in ``measured``."""
    names = {name for name, _ in SHOWN}
    tables = {table.name: table.found for table in measured_tables(measured) if table.name in names}
    raw = _of(tables, "spact1", RAW)
    if raw is None:
        raise InputError(
            "the results of spact1 must hold raw video, got none. Run `veil bench spact1` and "
            "python -m benchmarks.pages.results first."
        )
    lines = ["| video | actions | secrets, best attacker | gone | seeds |", "|---|---|---|---|---|"]
    for (table, row), words in SHOWN.items():
        found = _of(tables, table, row)
        if found is not None:
            lines.append(f"| {words} | {' | '.join(_cells(found, row, raw=raw))} |")
    actions, secrets = (raw.scores(RAW, column) for column in (ACTIONS, _best(raw, RAW)))
    guessed = (mean_score(list(actions.values())).chance, mean_score(list(secrets.values())).chance)
    lines.append(f"| guessing | {guessed[0]:.3f} | {guessed[1]:.3f} | 100% | |")
    return "\n".join([*lines, "", _behind(next(iter(actions.values())))]) + "\n"


def _of(tables: dict[str, Entries | None], table: str, row: str) -> Entries | None:
    found = tables.get(table)
    return found if found is not None and found.scores(row, ACTIONS) else None


def _best(found: Entries, row: str) -> str:
    """The column of the attacker that finds most secrets behind a row, mean over seeds."""
    attackers = [
        column for column in found.columns if column.startswith(SECRETS) and found.scores(row, column)
    ]
    return max(attackers, key=lambda column: np.mean(found.values(row, column)))


def _cells(found: Entries, row: str, *, raw: Entries) -> list[str]:
    """Actions, secrets by the best attacker, the share of the raw leakage that is gone, and the number of seeds."""
    best, of_raw = _best(found, row), mean_score(list(raw.scores(RAW, _best(raw, RAW)).values()))
    secrets = found.values(row, best)
    assert of_raw.chance is not None
    gone = (of_raw.value - np.mean(secrets)) / (of_raw.value - of_raw.chance)
    return [
        mean_and_half_width(found.values(row, ACTIONS)),
        f"{mean_and_half_width(secrets)} ({best.removeprefix(SECRETS)})",
        f"{gone:.0%}" if row != RAW else "–",
        str(len(secrets)),
    ]


def _behind(score: Score) -> str:
    return (
        f"Means over seeds ± half of their 95 % interval; {score.videos:,} videos of {score.people} drawn people who "
        "were never seen. Secrets are gender, skin colour, clothes and scene."
    )
