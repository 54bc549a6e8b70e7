"""Writes docs/table5.md from what `veil bench terms` found.

    python -m benchmarks.pages.table5 runs/terms --data runs/data/lsa64

What the adapters do is measured first where `runs/terms/diagnosis.jsonl` lacks it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.doubts import DOUBTS
from benchmarks.pages.loophole.diagnose import add_run_options, read_run
from benchmarks.pages.loophole.page import KINDS, Findings, identity_table
from latentveil.bench.readings import Entry
from latentveil.bench.recipe import Recipe
from latentveil.bench.table import render_results

PAGE = Path(__file__).parents[2] / "docs" / "table5.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_run_options(parser)
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page")
    options = parser.parse_args(arguments)
    options.output.write_text(render_page(*read_run("terms", options.run, data=options.data)))


def render_page(recipe: Recipe, entries: Sequence[Entry], diagnosis: Sequence[Entry]) -> str:
    """The table of the bench, then identity grader by grader."""
    findings = Findings(entries, diagnosis)
    rows = [row for row in recipe.rows if findings.of(row)]
    lines = [
        "## Identity, grader by grader",
        "",
        "The first two graders take the features as they are or standardised, the others choose their preprocessing on "
        "validation ([loophole.md](loophole.md) says why that matters).",
        "",
        *(line for kind in KINDS for line in identity_table(rows, findings, kind)),
    ]
    title, _, table = render_results(recipe, entries).partition("\n")
    return f"{title}\n\n{DOUBTS}\n{table}" + "\n".join(lines)


if __name__ == "__main__":
    main()
