"""Measures what treating a release as a set does, and writes docs/transport.md.

    python -m benchmarks.pages.transport runs/transport --data runs/data --sets lsa64 wlasl100 thetis

`runs/data/<set>` is made by `python -m benchmarks.prepare_real`. Results are kept line by line: a run that was stopped
goes on, and `--page-only` writes the page from what is there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages.transport.grading import Grader
from benchmarks.pages.transport.page import render_page
from benchmarks.pages.transport.rows import ROWS
from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.runner import read_results

PAGE = Path(__file__).parents[3] / "docs" / "transport.md"
COMPONENTS = 256
SETS = ("lsa64", "wlasl100", "thetis")


def measure(name: str, results: Path, *, data: Path, seeds: Sequence[int], only: Sequence[str]) -> None:
    """Grade every row of a set under every seed that ``results`` does not hold yet."""
    features, labels = load_bench_data(data / name)
    features = PrincipalComponents.fit(features, labels, COMPONENTS).apply(features)
    num_seen = len(set(labels.column("action").tolist())) // 2
    recipe = Recipe(title=name, num_seen=num_seen, rows=(Row(name="raw"),))
    done = {(entry["set"], entry["row"], entry["seed"]) for entry in read_results(results)}
    for seed in seeds:
        grader = Grader(Arena.build(features, labels, recipe, seed=seed))
        for row in ROWS:
            wanted = row.possible(labels) and (not only or row.name in only)
            if wanted and (name, row.name, seed) not in done:
                entry: dict[str, Any] = {"set": name, "videos": len(labels.video), **grader.grade(row)}
                with open(results, "a") as file:
                    file.write(json.dumps(entry) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="folder for the results, such as runs/transport")
    parser.add_argument("--data", type=Path, default=Path("runs/data"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", nargs="+", default=[], choices=[row.name for row in ROWS], metavar="ROW")
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    results = options.output / "results.jsonl"
    options.output.mkdir(parents=True, exist_ok=True)
    if not options.page_only:
        for name in options.sets:
            measure(name, results, data=options.data, seeds=range(options.seeds), only=options.rows)
    options.page.write_text(render_page(read_results(results)))


if __name__ == "__main__":
    main()
