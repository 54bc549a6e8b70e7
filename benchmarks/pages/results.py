"""Writes docs/results: a page for every table that was measured, and the index with a verdict per claim.

python -m benchmarks.pages.results [RUNS] [--quick RUNS] [-o docs/results] [--measured FOLDER] [--restore]

What `veil bench -o RUNS` found is kept in docs/measured/results, in git; pages are written from there alone. With
--restore nothing is written but RUNS: it gets what is kept, so that `veil bench` goes on from there. Of quick runs only
what they took is kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from latentveil.bench.index import write_pages
from latentveil.bench.measured import keep_results, keep_spent, restore_results

DOCS = Path(__file__).parents[2] / "docs"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="?", help="the folder that `veil bench -o` was given")
    parser.add_argument("--quick", type=Path, help="the folder of `veil bench --quick`")
    parser.add_argument("--output", "-o", type=Path, default=DOCS / "results", help="folder for the pages")
    parser.add_argument(
        "--measured", type=Path, default=DOCS / "measured" / "results", help="folder of kept results"
    )
    parser.add_argument("--restore", action="store_true", help="only fill RUNS with what is kept")
    options = parser.parse_args(arguments)
    if options.restore and options.runs is None:
        parser.error("--restore needs the folder RUNS")
    if options.restore:
        written = restore_results(options.measured, options.runs)
    else:
        written = keep_results(options.runs, options.measured) if options.runs else []
        written += [
            keep_spent(runs, options.measured) for runs in (options.runs, options.quick) if runs is not None
        ]
        written += write_pages(options.measured, options.output)
    for path in written:
        print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
