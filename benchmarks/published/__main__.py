"""Run the decisive experiment and write its page: `python -m benchmarks.published --output runs/published`.

What is finished is kept line by line in results.jsonl and not done again. `--page` only writes the page.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from benchmarks.published.cells import NARROW, SEEDS, Cell, Material, measure, planned
from benchmarks.published.data import FACES, load_face_pairs, load_strangers, load_videos
from benchmarks.published.grade import ATTACKS
from benchmarks.published.page import render_page
from benchmarks.published.train import STEPS

SOURCE = "wlasl100"
GRADED = ("peta", "wlasl100")
QUICK_STEPS, QUICK_STILLS, QUICK_ATTACKS = 10, 1200, ("lda",)  # in the narrow space alone


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("runs/published"))
    parser.add_argument(
        "--quick", action="store_true", help="one seed, few steps and stills: to find mistakes"
    )
    parser.add_argument("--page", type=Path, help="only write the page, to this file")
    parser.add_argument("--faces", action="store_true", help="pairs are two views of each face of utkface")
    chosen = parser.parse_args()
    name = ("faces-" if chosen.faces else "") + ("quick" if chosen.quick else "results")
    results = chosen.output / f"{name}.jsonl"
    page = chosen.page or chosen.output / f"{name}.md"
    if chosen.page is None:
        run(results, FACES if chosen.faces else SOURCE, quick=chosen.quick, page=page)
    write_page(results, page)


def run(results: Path, source: str, *, quick: bool, page: Path) -> None:
    """Measure every cell that is not in ``results`` yet, and write the page after each."""
    data = Path(os.environ.get("LATENTVEIL_DATA", ""))
    results.parent.mkdir(parents=True, exist_ok=True)
    graded = [load_strangers(data, name) for name in GRADED]
    if quick:
        graded = [people.few(QUICK_STILLS) for people in graded]
    train, held_out = load_videos(data, SOURCE)
    if source == FACES:
        train = train.with_pairs(load_face_pairs(data))
    material = Material(train, held_out, graded)
    done = {Cell(**entry["cell"]) for entry in read_entries(results)}
    for cell in planned(source, SEEDS[:1] if quick else SEEDS):
        if cell in done or (quick and cell.space != NARROW):
            continue
        print(f"cell {cell.key}", flush=True)
        entry = measure(
            cell,
            material,
            steps=QUICK_STEPS if quick else STEPS,
            attacks=QUICK_ATTACKS if quick else ATTACKS,
            folder=answers_folder(results),
            say=lambda text: print(text, flush=True),
        )
        with open(results, "a") as file:
            file.write(json.dumps(entry) + "\n")
        write_page(results, page)


def read_entries(results: Path) -> list[dict[str, Any]]:
    """The finished cells."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.is_file() else []


def answers_folder(results: Path) -> Path:
    """Where the answers of the cells of one results file are."""
    return results.parent / f"answers-{results.stem}"


def write_page(results: Path, page: Path) -> None:
    """The page of what is finished."""
    page.write_text(render_page(read_entries(results), answers_folder(results)))


if __name__ == "__main__":
    main()
