"""Writes what `veil bench table5` found to docs/table5.md.

    python benchmarks/write_table5.py runs/table5

What the adapters do is measured first where `runs/table5/diagnosis.jsonl` lacks it (needs LATENTVEIL_DATA).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from diagnose_adapters import read_run
from latentveil.bench.table import render_results
from loophole_page import KINDS, Findings, identity_table

ROOT = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="Folder with results.jsonl and adapters.")
    recipe, entries, diagnosis = read_run("table5", parser.parse_args().run)
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
    (ROOT / "docs" / "table5.md").write_text(render_results(recipe, entries) + "\n".join(lines))


if __name__ == "__main__":
    main()
