"""Writes docs/loophole.md from what `veil bench real` found.

    python -m benchmarks.pages.loophole runs/real --data runs/data/lsa64

What the trained adapters do is measured first where `runs/real/diagnosis.jsonl` lacks it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.loophole.diagnose import add_run_options, read_run
from benchmarks.pages.loophole.page import render_page

PAGE = Path(__file__).parents[3] / "docs" / "loophole.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_run_options(parser)
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page")
    options = parser.parse_args(arguments)
    options.output.write_text(render_page(*read_run("real", options.run, data=options.data)))


if __name__ == "__main__":
    main()
