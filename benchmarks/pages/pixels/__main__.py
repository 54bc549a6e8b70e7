"""Writes docs/pixels.md from docs/measured, and adds to what is measured in docs/measured/pixels.

The tables themselves are recipes: `veil bench pixels|spact1|…|penalty8 --data actors -o runs`.

python -m benchmarks.pages.pixels costs --data runs/data/actors-videos-64
python -m benchmarks.pages.pixels faces ROW --data FOLDER     real people; --anonymizer FOLDER for one that learned
python -m benchmarks.pages.pixels gallery --runs runs
python -m benchmarks.pages.pixels write
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.pixels.measured import DOCS


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["costs", "cost", "faces", "gallery", "write"])
    parser.add_argument("row", nargs="?", default="")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="the output folder of `veil bench`")
    parser.add_argument("--data", type=Path, help="a folder of videos with labels.csv")
    parser.add_argument("--cache", type=Path, help="where clips and features are kept")
    parser.add_argument("--anonymizer", type=Path, help="a folder of `veil fit`, for the row of that name")
    options = parser.parse_args(arguments)
    cache = options.cache or options.runs / "data"
    if options.what == "costs":
        from benchmarks.pages.pixels.costs import measure_costs

        measure_costs(options.data, cache)
    elif options.what == "cost":
        from benchmarks.pages.pixels.costs import cost_of

        print(json.dumps(cost_of(options.row, options.data, cache)))
    elif options.what == "faces":
        from benchmarks.pages.pixels.faces import measure_faces

        measure_faces(options.row, options.data, anonymizer=options.anonymizer)
    elif options.what == "gallery":
        from benchmarks.pages.pixels.gallery import write_gallery

        write_gallery("actors", options.runs, DOCS / "assets" / "pixels.png")
    else:
        from benchmarks.pages.pixels.page import render_page

        (DOCS / "pixels.md").write_text(render_page())


if __name__ == "__main__":
    main()
