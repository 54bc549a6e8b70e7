"""Measures what treating a release as a set does, and writes docs/transport.md.

    python -m benchmarks.pages.transport --data runs/data --sets lsa64 wlasl100 thetis actors urfd

`runs/data/<set>` is made by `python -m benchmarks.prepare_real`. Every seed of `actors` has people of its own, made by

    python -m benchmarks.pages.actors_tasks runs/data/actors-SEED --actors-seed SEED --seeds 0
        --action-videos 240 --detection-videos 100 --anomaly-videos 160

Every result is kept in docs/measured/transport at once: a run that was stopped goes on, later runs add seeds, and
`--page-only` writes the page from what is there. `--again` measures anew what was graded by other attacks than those of
today, which the page marks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.transport.chart import render_chart
from benchmarks.pages.transport.grading import GRADED_BY, RULER, Grader, is_current
from benchmarks.pages.transport.measured import add_entry, read_entries
from benchmarks.pages.transport.page import ACTION_SETS, COMPONENTS, DRAWN, SETS, render_page
from benchmarks.pages.transport.rows import ROWS
from benchmarks.pages.transport.tasks import TASK_ROWS, grade_in_turn, grade_tasks, with_scenes
from latentveil.bench.data import BenchData
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Recipe, Row

DOCS = Path(__file__).parents[3] / "docs"


def load(folder: Path) -> BenchData:
    return BenchData.load(folder, components=COMPONENTS, centred=True)


def measure_actions(
    name: str, folder: Path, *, seeds: Sequence[int], only: Sequence[str], again: bool = False
) -> None:
    """Grade every row of a set of single actions under every seed that is not there yet, or not by these attacks."""
    data = load(folder / name)
    features, labels = data.features, data.labels
    num_seen = len(set(labels.column("action").tolist())) // 2
    recipe = Recipe(title=name, num_seen=num_seen, rows=(Row(name="raw"),))
    done = {(entry["row"], entry["seed"]): entry for entry in read_entries(name)}
    for seed in seeds:
        grader = Grader(Arena.build(features, labels, recipe, seed=seed))
        for row in ROWS:
            wanted = row.possible(name, labels) and (not only or row.name in only)
            kept = done.get((row.name, seed))
            if wanted and (kept is None or (again and not is_current(kept))):
                found = {"set": name, "row": row.name, "seed": seed, "videos": len(labels.video)}
                add_entry({**found, "scores": grader.grade(row), GRADED_BY: list(RULER)})


def measure_tasks(name: str, folder: Path, *, seeds: Sequence[int], only: Sequence[str]) -> None:
    """Grade every row of a set with tasks in time."""
    done = {(entry["row"], entry["seed"]) for entry in read_entries(name)}
    for seed in seeds:
        data = with_scenes(load(folder / f"{name}-{seed}" if name in DRAWN else folder / name))
        columns = (column for column in ("person", "recording") if getattr(data.labels, column) is not None)
        known = {"stills", *columns, *data.labels.columns}
        for row in TASK_ROWS:
            has_groups = not row.groups or known.issuperset(row.groups.split(","))
            wanted = has_groups and (not only or row.name in only)
            if wanted and (row.name, seed) not in done:
                found = {"set": name, "row": row.name, "seed": seed, "videos": len(data.labels.video)}
                tasks = ("anomaly",) if name == "urfd" else ()
                scores = grade_tasks(row, data, tasks=tasks, seed=seed)
                if name in DRAWN:
                    scores |= grade_in_turn(row, data, seed=seed)
                add_entry({**found, "scores": scores})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("runs/data"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)), metavar="SEED")
    parser.add_argument("--rows", nargs="+", default=[], metavar="ROW")
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args(arguments)
    for name in [] if options.page_only else options.sets:
        if name in ACTION_SETS:
            measure_actions(name, options.data, seeds=options.seeds, only=options.rows, again=options.again)
        else:
            measure_tasks(name, options.data, seeds=options.seeds, only=options.rows)
    entries = {name: read_entries(name) for name in SETS}
    (DOCS / "transport.md").write_text(render_page(entries))
    (DOCS / "assets" / "transport.svg").write_text(render_chart(entries))


if __name__ == "__main__":
    main()
