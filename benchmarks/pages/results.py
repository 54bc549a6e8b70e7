"""Writes docs/results: a page for every table that `veil bench` has run, and the index with a verdict per claim.

python -m benchmarks.pages.results runs [-o docs/results]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from latentveil.bench.index import write_pages

PAGES = Path(__file__).parents[2] / "docs" / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, help="the folder that `veil bench -o` was given")
    parser.add_argument("--output", "-o", type=Path, default=PAGES, help="folder for the pages")
    options = parser.parse_args(arguments)
    for page in write_pages(options.runs, options.output):
        print(page, file=sys.stderr)


if __name__ == "__main__":
    main()
