"""Measure how cost and memory grow, and write docs/scale.md.

Run: python -m benchmarks.scale [--parts stages encoders workers] [--folder runs/scale] [--sizes 10000 100000 1000000]
     [--repeats 5]

What was measured is kept in docs/measured/scale and not measured again, unless --again asks for it. `--parts` without
names writes the page from what is there. A million clips take some 20 GB in the folder, which may be deleted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scale import encoders, stages, workers
from benchmarks.scale.page import PAGE, write_page
from benchmarks.scale.stage import STAGES

PARTS = (stages.PART, encoders.PART, workers.PART)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--folder", type=Path, default=Path("runs/scale"))
    parser.add_argument("--sizes", nargs="+", type=int, default=stages.SIZES)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=tuple(STAGES))
    parser.add_argument(
        "--repeats", type=int, default=workers.REPEATS, help="Pairs of runs of 1 and 2 workers."
    )
    parser.add_argument("--again", action="store_true", help="Measure what is known, too.")
    parser.add_argument("--output", "-o", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    if stages.PART in options.parts:
        stages.measure_stages(options.folder, sizes=options.sizes, stages=options.stages, again=options.again)
    if encoders.PART in options.parts:
        encoders.measure_encoders(again=options.again)
    if workers.PART in options.parts:
        workers.measure_workers(repeats=options.repeats, again=options.again)
    write_page(options.output)
    print(options.output, file=sys.stderr)


if __name__ == "__main__":
    main()
