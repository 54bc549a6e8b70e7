"""Writes docs/pixels.md from measurements on videos of `veil actors`.

    veil actors runs/data/actors64 --task action --videos 160 --size 64
    python -m benchmarks.pages.pixels --data runs/data/actors64 --measure --seeds 3

Each cell (row and seed) is measured in a process of its own and kept in `runs/pixels`; what is there is not measured
again. Without --measure the page is written from what is there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.pixels.rows import ROWS

MODULE = "benchmarks.pages.pixels"
PAGE = Path(__file__).parents[3] / "docs" / "pixels.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of `veil actors`")
    parser.add_argument("--runs", type=Path, default=Path("runs/pixels"), help="where measurements are kept")
    parser.add_argument("--measure", action="store_true", help="measure the cells that are missing first")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cell", help="measure this one alone, ROW@SEED, and write no page")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page")
    options = parser.parse_args(arguments)
    if options.cell:
        measure_cell(options.cell, options.data, options.runs)
        return
    if options.measure:
        measure_missing(options.data, options.runs, seeds=options.seeds)
    from benchmarks.pages.pixels.gallery import write_gallery
    from benchmarks.pages.pixels.page import render_page

    options.output.write_text(render_page(read_cells(options.runs)))
    write_gallery(options.data, options.runs, options.output.parent / "assets" / "pixels.png")


def cell_file(runs: Path, row: str, seed: int) -> Path:
    return runs / "cells" / f"{row.replace(' ', '_')}@{seed}.json"


def read_cells(runs: Path) -> dict[str, dict[int, dict]]:
    """What was measured: row -> seed -> cell."""
    found: dict[str, dict[int, dict]] = {}
    for row in ROWS:
        for path in sorted(runs.glob(f"cells/{row.name.replace(' ', '_')}@*.json")):
            found.setdefault(row.name, {})[int(path.stem.rpartition("@")[2])] = json.loads(path.read_text())
    return found


def measure_missing(data: Path, runs: Path, *, seeds: int) -> None:
    """Measure what is missing, all rows of one seed before the next; a cell that fails is told and left out."""
    for seed in range(seeds):
        for row in ROWS:
            if cell_file(runs, row.name, seed).exists():
                continue
            command = [sys.executable, "-m", MODULE, "--data", str(data), "--runs", str(runs)]
            done = subprocess.run([*command, "--cell", f"{row.name}@{seed}"], check=False)
            print(f"{row.name}, seed {seed}: {'done' if done.returncode == 0 else 'failed'}", file=sys.stderr)


def measure_cell(cell: str, data: Path, runs: Path) -> None:
    from benchmarks.pages.pixels.measure import measure, save

    name, _, seed = cell.rpartition("@")
    row = next(row for row in ROWS if row.name == name)
    save(cell_file(runs, name, int(seed)), measure(row, data, runs / "anonymizers", seed=int(seed)))


if __name__ == "__main__":
    main()
