"""The paper's Table 4 on `actors` and on real falls: `python benchmarks/table4.py WORK`.

WORK is the folder of `benchmarks/actors_tasks.py`, which renders and encodes the videos. Adapters are fitted for every
subset of the tasks; fresh heads and attackers then measure what is left. Every row that is finished stays in
WORK/results, so that a run that was stopped goes on, and the page is written anew after each row.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from actors_tasks import TASKS, Work
from latentveil.bench.data import PrincipalComponents
from latentveil.bench.runner import read_results
from latentveil.bench.task_subsets import RAW, Grading, SubsetRow, TaskArena, all_subsets, measure_row
from latentveil.datasets.labels import Labels, read_segments
from latentveil.datasets.urfd import FRAME_RATE, read_urfd
from latentveil.store import FeatureStore
from latentveil.store.import_features import ImportSettings, import_features
from table4_page import render_page

SECRETS = ("gender", "upper", "scene")
REAL_TASKS = ("detection", "anomaly")
REAL_SPLITS = 3
# Time within a video is what two of the tasks are about, so nothing may be averaged over it.
ONE_CLIP = "erasure.window=1"
MOTION = "erasure.motion=1"
# For several tasks: no codebook, and all directions that move.
MANY_TASKS = ("method=discriminant", "erasure.keep=64", "erasure.noise=0.5", MOTION, ONE_CLIP)
WIDE = ("method=discriminant", "erasure.keep=128", "erasure.noise=0.5", MOTION, ONE_CLIP)
FRONTIER = {
    "preset": (ONE_CLIP,),
    "preset, motion": (MOTION, ONE_CLIP),
    "more directions and prototypes": ("erasure.keep=32", "erasure.prototypes=96", MOTION, ONE_CLIP),
    "linear, 32 directions": (
        "method=discriminant",
        "erasure.keep=32",
        "erasure.noise=0.5",
        MOTION,
        ONE_CLIP,
    ),
    "linear, 64 directions": MANY_TASKS,
    "linear, 128 directions": WIDE,
}


def actors_arena(work: Work, *, components: int) -> TaskArena:
    """The videos of all tasks in ``components`` principal components of their training videos (0: as they are)."""
    store = FeatureStore(work.raw)
    labels = Labels.read(work.labels).only(store.videos)
    features = store.read(videos=labels.video.tolist())
    if components:
        features = PrincipalComponents.fit(features, labels, components).apply(features)
    return TaskArena(features, labels, read_segments(work.segments), TASKS, store.manifest.timing)


def falls_arena(data: Path, store: Path, *, seed: int) -> TaskArena:
    """Real falls and daily activities under the split drawn from ``seed``."""
    if not (store / "manifest.json").exists():
        import_features(
            [data / "features" / "urfd.npz"], store, settings=ImportSettings("i3d", fps=FRAME_RATE)
        )
    opened = FeatureStore(store)
    labels, segments = read_urfd(data / "urfd" / "frames.csv", seed=seed)
    labels = labels.only(opened.videos)
    features = opened.read(videos=labels.video.tolist())
    return TaskArena(features, labels, segments, REAL_TASKS, opened.manifest.timing, seed)


class Table:
    """The rows that are wanted and those that are finished, part by part; ``page`` is written after each row."""

    def __init__(self, folder: Path, page: Path | None, about: dict[str, Any], *, measures: bool) -> None:
        self.folder = folder
        self.page = page
        self.measures = measures
        self.found: dict[str, Any] = about | {"table": [], "frontier": [], "falls": []}

    def run(self, part: str, arena: TaskArena, rows: Iterable[SubsetRow], grading: Grading) -> None:
        """Measure every row under the arena's seed; what is in the part's file is not done again."""
        path = self.folder / f"{part}.jsonl"
        done = {(entry["row"], entry["seed"], entry["heads"]): entry for entry in read_results(path)}
        for row in rows:
            entry = done.get((row.key, arena.seed, len(grading.head_seeds)))
            if entry is None and not self.measures:
                continue
            if entry is None:
                entry = measure_row(arena, row, grading)
                self.folder.mkdir(parents=True, exist_ok=True)
                with open(path, "a") as file:
                    file.write(json.dumps(entry) + "\n")
                scores = "  ".join(f"{name} {task['values'][0]:.3f}" for name, task in entry["tasks"].items())
                print(f"{part}  {row.key}  {scores}", file=sys.stderr)
            self.found[part].append(entry)
            if self.page:
                self.page.parent.mkdir(parents=True, exist_ok=True)
                self.page.write_text(render_page(self.found))


def closed_rows() -> list[SubsetRow]:
    """Raw features, then each closed form for every subset but the empty one, for which there is nothing to keep."""
    subsets = [tasks for tasks in all_subsets(TASKS) if tasks]
    return [
        SubsetRow(RAW),
        *(SubsetRow("veil", tasks, WIDE, name="veil, motion, 128") for tasks in subsets),
        *(SubsetRow("veil", tasks, MANY_TASKS, name="veil, motion") for tasks in subsets),
        *(SubsetRow("veil", tasks, (ONE_CLIP,)) for tasks in subsets),
    ]


def trained_rows(*, epochs: int) -> list[SubsetRow]:
    """The published objective for every subset; for no task at all, budget and consistency alone."""
    # Nine steps an epoch with any subset of tasks, at the published rate of 1e-4.
    training = ("train.batch_size=32", "train.learning_rate=1.6e-3", "adapter.init=exact")
    return [SubsetRow("paper", tasks, (f"train.epochs={epochs}", *training)) for tasks in all_subsets(TASKS)]


def frontier_rows() -> list[SubsetRow]:
    """Each setting for one task at a time: what a task keeps that it was not fitted for."""
    rows = [SubsetRow("veil", (task,), changes, name) for name, changes in FRONTIER.items() for task in TASKS]
    return [SubsetRow(RAW), *rows]


def real_rows() -> list[SubsetRow]:
    """Raw features, and the closed form with motion for every subset."""
    subsets = [tasks for tasks in all_subsets(REAL_TASKS) if tasks]
    return [SubsetRow(RAW), *(SubsetRow("veil", tasks, MANY_TASKS, name="veil, motion") for tasks in subsets)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder that benchmarks/actors_tasks.py has filled")
    parser.add_argument(
        "--components", type=int, default=256, help="principal components (0: all dimensions)"
    )
    parser.add_argument("--seeds", type=int, default=3, help="heads for each task and row")
    parser.add_argument("--epochs", type=int, default=24, help="of the trained preset")
    parser.add_argument("--docs", type=Path, help="file for the result as a page")
    parser.add_argument(
        "--finished", action="store_true", help="measure nothing: show the rows that are there"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    arena = actors_arena(Work(options.work), components=options.components)
    grading = Grading(head_seeds=tuple(range(options.seeds)), secrets=SECRETS)
    one_head = replace(grading, head_seeds=(0,))
    about = {"components": options.components, "seeds": options.seeds}
    table = Table(options.work / "results", options.docs, about, measures=not options.finished)
    table.run("table", arena, closed_rows(), grading)
    data = os.environ.get("LATENTVEIL_DATA")
    for seed in range(REAL_SPLITS if data else 0):
        falls = falls_arena(Path(str(data)), options.work / "urfd.store", seed=seed)
        table.run("falls", falls, real_rows(), replace(one_head, secrets=()))
    table.run("table", arena, trained_rows(epochs=options.epochs), grading)
    table.run("frontier", arena.development(), frontier_rows(), replace(one_head, kinds=("temporal",)))
    print(json.dumps(table.found) if options.json else render_page(table.found))


if __name__ == "__main__":
    main()
