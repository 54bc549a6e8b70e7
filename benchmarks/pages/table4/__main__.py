"""The paper's Table 4 on `actors` and on real falls: `python -m benchmarks.pages.table4 WORK`.

WORK is the folder of `benchmarks.pages.actors_tasks`, which renders and encodes the videos. Adapters are fitted for
every subset of the tasks; fresh heads and attackers then measure what is left. Every row that is finished stays in
WORK/results, so that a run that was stopped goes on, and the page is written anew after each row.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.pages.actors_tasks import TASKS, Work
from benchmarks.pages.table4.page import render_page
from benchmarks.pages.table4.protocol import RAW, Grading, SubsetRow, TaskArena, all_subsets, measure_row
from benchmarks.prepare_real import VARIABLE, prepare
from latentveil.bench.data import STORE, PrincipalComponents
from latentveil.bench.runner import read_results
from latentveil.datasets.urfd import read_urfd
from latentveil.labels import Labels, read_segments
from latentveil.store import FeatureStore

SECRETS = ("gender", "upper", "scene")
ATTACKS = ("linear", "lda", "mlp", "neighbours", "paired", "informed")
REAL_TASKS = ("detection", "anomaly")
REAL_SPLITS = 3
# Table 4 asks every adapter for tasks that look within videos, also the one that was fitted for actions alone.
ONE_CLIP = ("erasure.window=1",)
MOTION_RATIOS = (1.0, 1.5, 3.0)


def actors_arena(work: Work, *, components: int) -> TaskArena:
    """The videos of all tasks in ``components`` principal components of their training videos (0: as they are)."""
    store = FeatureStore(work.raw)
    labels = Labels.read(work.labels).only(store.videos)
    features = store.read(videos=labels.video.tolist())
    if components:
        features = PrincipalComponents.fit(features, labels, components).apply(features)
    return TaskArena(features, labels, read_segments(work.segments), TASKS, store.manifest.timing)


def count_test_videos(labels: Labels, task: str) -> int:
    """How many test videos a task is scored on."""
    return int(((labels.split == "test") & (labels.column(task) != "")).sum())


def falls_arena(data: Path, work: Path, *, seed: int) -> TaskArena:
    """Real falls and daily activities under the split drawn from ``seed``."""
    opened = FeatureStore(prepare("urfd", work, data=data) / STORE)
    labels, segments = read_urfd(data / "urfd" / "frames.csv", seed=seed)
    labels = labels.only(opened.videos)
    features = opened.read(videos=labels.video.tolist())
    return TaskArena(features, labels, segments, REAL_TASKS, opened.manifest.timing, seed)


class Table:
    """The rows that are wanted and those that are finished, part by part; ``page`` is written after each row."""

    def __init__(self, folder: Path, page: Path | None, about: dict[str, Any], *, workers: int) -> None:
        self.folder = folder
        self.page = page
        self.workers = workers
        self.found: dict[str, Any] = about | {"table": [], "frontier": [], "falls": []}

    def run(self, part: str, arena: TaskArena, rows: Sequence[SubsetRow], grading: Grading) -> None:
        """Measure every row under the arena's seed; what is in the part's file is not done again.

        With no workers nothing is measured, and the rows that are there are shown.
        """
        path = self.folder / f"{part}.jsonl"
        heads = json.dumps(dict(grading.heads))
        known = {
            (entry["row"], entry["seed"]): entry
            for entry in read_results(path)
            if json.dumps(entry["heads"]) == heads
        }
        keys = {row.key: (row.key, arena.seed) for row in rows}
        before = self.found[part]
        missing = [row for row in rows if keys[row.key] not in known] if self.workers else []
        self._show(part, before, known, keys)
        for entry in measured(arena, missing, grading, workers=self.workers):
            self.folder.mkdir(parents=True, exist_ok=True)
            with open(path, "a") as file:
                file.write(json.dumps(entry) + "\n")
            scores = "  ".join(f"{name} {task['values'][0]:.3f}" for name, task in entry["tasks"].items())
            print(f"{part}  {entry['row']}  {scores}", file=sys.stderr)
            known[keys[entry["row"]]] = entry
            self._show(part, before, known, keys)

    def _show(self, part: str, before: list[Any], known: dict[Any, Any], keys: dict[str, Any]) -> None:
        """The page with the rows that are known, in the order in which they are wanted, once raw features are known."""
        rows = before + [known[key] for key in keys.values() if key in known]
        self.found[part] = rows if any(row["name"] == RAW for row in rows) else []
        if self.page and self.found["table"]:
            self.page.parent.mkdir(parents=True, exist_ok=True)
            self.page.write_text(render_page(self.found))


def measured(
    arena: TaskArena, rows: Sequence[SubsetRow], grading: Grading, *, workers: int
) -> Iterator[dict[str, Any]]:
    """The entry of every row as it is finished, ``workers`` of them at a time, each in a process with one thread."""
    if not rows:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, torch.set_num_threads, (1,)) as pool:
        jobs = [pool.submit(measure_row, arena, row, grading) for row in rows]
        for job in as_completed(jobs):
            yield job.result()


def with_motion(tasks: tuple[str, ...], *changes: str, name: str = "veil, motion") -> SubsetRow:
    """`veil fit --preset veil --tasks …,motion`: the named tasks, and whatever moves."""
    return SubsetRow("veil", tasks, changes, name, motion=True)


def closed_rows(tasks: Sequence[str]) -> list[SubsetRow]:
    """Raw features, then `veil` for every subset, with motion and without it, where there must be a task to keep."""
    subsets = all_subsets(tasks)
    return [
        SubsetRow(RAW),
        *(with_motion(subset) for subset in subsets),
        *(SubsetRow("veil", subset, ONE_CLIP, "veil") for subset in subsets if subset),
    ]


def trained_rows(*, epochs: int) -> list[SubsetRow]:
    """The published objective for every subset; for no task at all, budget and consistency alone."""
    training = (
        f"train.epochs={epochs}",
        "train.batch_size=32",
        "train.learning_rate=1.6e-3",
        "adapter.init=exact",
        "usual_heads.detection=tridet-small",  # the preset's are of the published size
        "usual_heads.anomaly=mgfn-small",
    )
    return [SubsetRow("paper", tasks, training) for tasks in all_subsets(TASKS)]


def frontier_rows() -> list[SubsetRow]:
    """The dial of `motion`, for one task at a time: what the tasks keep that were not named."""
    dial = [f"motion.ratio={ratio:g}" for ratio in MOTION_RATIOS]
    return [
        SubsetRow(RAW),
        *(with_motion((task,), change, name=change) for change in dial for task in TASKS),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder that benchmarks.pages.actors_tasks has filled")
    parser.add_argument(
        "--components", type=int, default=256, help="principal components (0: all dimensions)"
    )
    parser.add_argument("--epochs", type=int, default=10, help="of the trained preset")
    parser.add_argument("--output", "-o", type=Path, help="the page")
    parser.add_argument(
        "--workers", type=int, default=2, help="rows at a time; 0 shows the rows that are there"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args(arguments)
    arena = actors_arena(Work(options.work), components=options.components)
    grading = Grading(secrets=SECRETS, attacks=ATTACKS)
    one_head = replace(grading, heads=dict.fromkeys(TASKS, 1))
    about = {
        "components": options.components,
        "heads": grading.heads,
        "test_videos": {task: count_test_videos(arena.labels, task) for task in TASKS},
    }
    table = Table(options.work / "results", options.output, about, workers=options.workers)
    table.run("table", arena, closed_rows(TASKS), grading)
    data = os.environ.get(VARIABLE)
    for seed in range(REAL_SPLITS if data else 0):
        falls = falls_arena(Path(str(data)), options.work, seed=seed)
        table.run("falls", falls, closed_rows(REAL_TASKS), replace(one_head, secrets=()))
    table.run("frontier", arena.development(), frontier_rows(), replace(one_head, kinds=("temporal",)))
    table.run("table", arena, trained_rows(epochs=options.epochs), grading)
    print(json.dumps(table.found) if options.json else render_page(table.found))


if __name__ == "__main__":
    main()
