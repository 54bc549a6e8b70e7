"""Writes the table of results in README.md from what `veil bench real` found.

python -m benchmarks.pages.readme runs/real
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from latentveil.bench.readings import Entry, find_reading
from latentveil.bench.recipe import Recipe, load_recipe
from latentveil.bench.run import RESULTS
from latentveil.bench.runner import read_results
from latentveil.bench.scores import mean_and_half_width
from latentveil.bench.table import secret_cell
from latentveil.types import TEMPORAL

PAGE = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
SUBJECTS = (("identity", TEMPORAL), ("gender", TEMPORAL))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="folder with results.jsonl")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page with the table in it")
    options = parser.parse_args(arguments)
    table = results_table(load_recipe("real"), read_results(options.run / RESULTS))
    before, _, rest = options.output.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    options.output.write_text(before + BEGIN + "\n" + table + END + after)


def results_table(recipe: Recipe, entries: Sequence[Entry]) -> str:
    """The best attack on stored clips, and both utilities, of every full row."""
    lines = [
        "| features | identity, best attack | gender, best attack | seen signs | unseen signs |",
        "|---|---|---|---|---|",
    ]
    full: list[Entry] = []
    for row in recipe.rows:
        found = [entry for entry in entries if row.full and entry["row"] == row.key]
        full += found
        if found:
            cells = [secret_cell(found, subject) for subject in SUBJECTS]
            cells += [
                mean_and_half_width([entry[task]["anonymized"]["value"] for entry in found])
                for task in ("seen", "unseen")
            ]
            lines.append(f"| {row.name} | {' | '.join(cells)} |")
    chances = [f"{find_reading(full[0], subject)['chance']:.2f}" for subject in SUBJECTS]
    seeds = ", ".join(str(seed) for seed in sorted({entry["seed"] for entry in full}))
    lines.append("")
    lines.append(
        f"Guessing: identity {chances[0]}, gender {chances[1]}. Means over seeds {seeds}, ± half of the 95 % interval."
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
