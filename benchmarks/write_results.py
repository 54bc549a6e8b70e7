"""Writes what `veil bench real` found: docs/loophole.md, and the table of results in README.md.

    python benchmarks/write_results.py runs/real

What the trained adapters do is measured first where `runs/real/diagnosis.jsonl` lacks it (needs LATENTVEIL_DATA).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from diagnose_adapters import read_run
from latentveil.bench.recipe import Recipe
from latentveil.bench.table import mean_and_half_width, secret_cell
from loophole_page import render_page

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="Folder with results.jsonl and adapters.")
    recipe, entries, diagnosis = read_run("real", parser.parse_args().run)
    (ROOT / "docs" / "loophole.md").write_text(render_page(recipe, entries, diagnosis))
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(before + BEGIN + "\n" + results_table(recipe, entries) + END + after)


def results_table(recipe: Recipe, entries: list[dict[str, Any]]) -> str:
    """The README's table: best attack on stored clips, and both utilities."""
    lines = [
        "| features | identity, best attack | gender, best attack | seen signs | unseen signs |",
        "|---|---|---|---|---|",
    ]
    full = []
    for row in recipe.rows:
        found = [entry for entry in entries if row.full and entry["row"] == row.key]
        full += found
        if found:
            cells = [secret_cell(found, key) for key in ("identity", "gender")]
            cells += [
                mean_and_half_width([entry[task]["anonymized"]["value"] for entry in found])
                for task in ("seen", "unseen")
            ]
            lines.append(f"| {row.name} | {' | '.join(cells)} |")
    chances = [f"{full[0]['secrets'][key]['chance']:.2f}" for key in ("identity", "gender")]
    seeds = ", ".join(str(seed) for seed in sorted({entry["seed"] for entry in full}))
    lines.append("")
    lines.append(
        f"Guessing: identity {chances[0]}, gender {chances[1]}. Means over seeds {seeds}, ± half of the 95 % interval."
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
