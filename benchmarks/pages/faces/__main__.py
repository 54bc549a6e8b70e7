"""Writes docs/faces.md: the adapters of `veil bench real`, graded on pictures of other people.

    python -m benchmarks.pages.faces runs --data runs/data/lsa64 [--quick] [--seeds N] [-o PAGE]

Needs LATENTVEIL_DATA for the pictures. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.faces.grading import SIGNERS, run_faces
from benchmarks.pages.faces.page import render_faces
from benchmarks.prepare_real import research_data
from latentveil.bench.recipe import load_recipe
from latentveil.progress import shown

PAGE = Path(__file__).parents[3] / "docs" / "faces.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, help="folder with the run `real`; `faces` is made beside it")
    parser.add_argument("--data", type=Path, required=True, help="folder that the bench ran on")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one seed, the curve's attacks only")
    options = parser.parse_args(arguments)
    recipe = load_recipe(SIGNERS)
    with shown() as on_progress:
        entries, about = run_faces(
            recipe,
            signers=options.data,
            pictures=research_data(),
            output=options.runs,
            seeds=range(1 if options.quick else options.seeds),
            quick=options.quick,
            on_progress=on_progress,
        )
    options.output.write_text(render_faces(recipe, entries, about))


if __name__ == "__main__":
    main()
