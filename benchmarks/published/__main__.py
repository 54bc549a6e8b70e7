"""Run the decisive experiment and write its page: `python -m benchmarks.published`.

Every finished cell is kept in docs/measured/published and not done again. `--page` only writes the page, and `--only`
names cells, so that several runs may share the work.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.published.cells import NARROW, SEEDS, Cell, Material, measure, planned
from benchmarks.published.data import SOURCE, load_strangers, load_videos
from benchmarks.published.faces import FACES, extract_faces, load_face_pairs, load_faces
from benchmarks.published.grade import ATTACKS
from benchmarks.published.measured import read, write
from benchmarks.published.page import render_page
from benchmarks.published.train import STEPS

GRADED = ("peta", "wlasl100")
QUICK_STEPS, QUICK_STILLS, QUICK_ATTACKS = 10, 1200, ("lda",)  # in the narrow space alone


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("runs/published"), help="for what is only passing"
    )
    parser.add_argument("--measured", type=Path, default=Path("docs/measured/published"))
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one seed, few steps and stills, all in --output: to find mistakes",
    )
    parser.add_argument("--faces", action="store_true", help="pairs are two views of each face of utkface")
    parser.add_argument("--only", nargs="+", metavar="KEY", help="cells, as wlasl100-uncentred-time-0")
    chosen = parser.parse_args()
    source = FACES if chosen.faces else SOURCE
    name = "published_faces" if chosen.faces else "published"
    measured, page = chosen.measured, Path(f"docs/{name}.md")
    if chosen.quick:
        measured, page = chosen.output / "quick", chosen.output / f"{name}.md"
    cells = planned(source, SEEDS[:1] if chosen.quick else SEEDS)
    unknown = set(chosen.only or ()) - {cell.key for cell in cells}
    if unknown:
        parser.error(
            f"--only must name cells, got {min(unknown)}. They are {', '.join(cell.key for cell in cells)}"
        )
    if chosen.only:
        cells = [cell for cell in cells if cell.key in chosen.only]
    if not chosen.page:
        run(cells, measured, source, quick=chosen.quick, page=page, passing=chosen.output)
    write_page(measured, source, page)


def run(
    cells: Sequence[Cell], measured: Path, source: str, *, quick: bool, page: Path, passing: Path
) -> None:
    """Measure each of the cells that is not in ``measured`` yet, and write the page after each."""
    data = Path(os.environ.get("LATENTVEIL_DATA", ""))
    graded = [load_strangers(data, name) for name in GRADED]
    train, held_out = load_videos(data, SOURCE)
    if source == FACES:
        extract_faces(data, passing)
        train = train.with_pairs(load_face_pairs(data, passing))
        graded.append(load_faces(data, passing))
    if quick:
        graded = [people.few(QUICK_STILLS) for people in graded]
    material = Material(train, held_out, graded)
    done = {Cell(**entry["cell"]) for entry in read(measured, source)}
    for cell in cells:
        if cell in done or (quick and cell.space != NARROW):
            continue
        print(f"cell {cell.key}", flush=True)
        entry = measure(
            cell,
            material,
            steps=QUICK_STEPS if quick else STEPS,
            attacks=QUICK_ATTACKS if quick else ATTACKS,
            folder=passing,
            say=lambda text: print(text, flush=True),
        )
        write(measured, cell.key, entry)
        write_page(measured, source, page)


def write_page(measured: Path, source: str, page: Path) -> None:
    """The page of what is finished."""
    page.write_text(render_page(read(measured, source)))


if __name__ == "__main__":
    main()
