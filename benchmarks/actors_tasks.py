"""What raw and anonymized I3D features of `actors` are good for, per task: `python benchmarks/actors_tasks.py WORK`.

Renders three sets of videos, encodes them into one store, and trains fresh heads for every task on it. With
``--adapters`` it does the same behind adapters that were fitted for some of the tasks. Whatever is finished in the
folder WORK is kept, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from latentveil.config import load_config
from latentveil.datasets.actors import write_dataset
from latentveil.datasets.labels import Labels, read_segments, write_segments
from latentveil.extract import EncoderChoice, ExtractOptions, extract
from latentveil.types import Sampling
from latentveil.workflow.apply import apply
from latentveil.workflow.evaluate import evaluate
from latentveil.workflow.fit import fit

TASKS = ("action", "detection", "anomaly")
TARGETS = {"detection": 0.60, "anomaly": 0.90}  # what raw features should reach
RENDER_SIZE, FRAME_SIZE = 128, 112  # the centre of 112 pixels is cut out of 128, without resizing
STILLS = 2


@dataclass(frozen=True)
class Row:
    """An adapter: a preset with some changes, fitted for some tasks."""

    preset: str
    tasks: tuple[str, ...]
    changes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "-".join((self.preset, *self.tasks))


@dataclass(frozen=True)
class Work:
    """The folder of a run and where things are in it."""

    folder: Path

    @property
    def labels(self) -> Path:
        return self.folder / "labels.csv"

    @property
    def segments(self) -> Path:
        return self.folder / "segments.csv"

    @property
    def raw(self) -> Path:
        return self.folder / "raw.store"


def adapter_rows(epochs: int) -> list[Row]:
    """Adapters for one task, for two and for all; what a row was not fitted for is unseen."""
    subsets = [("action",), ("detection",), ("detection", "anomaly"), TASKS]
    training = (f"train.epochs={epochs}",)
    return [Row("veil", tasks, ("erasure.window=1",)) for tasks in subsets] + [
        Row("released", tasks, training) for tasks in subsets
    ]


def prepare(work: Work, sizes: dict[str, int], *, workers: int) -> None:
    """Render and encode the videos of every task that has some into one store, with one table of labels for all."""
    folders = {task: work.folder / task for task, size in sizes.items() if size}
    for task, folder in folders.items():
        write_dataset(folder, task=task, num_videos=sizes[task], size=RENDER_SIZE, workers=workers)
    merge_labels({task: Labels.read(folder / "labels.csv") for task, folder in folders.items()}).write(
        work.labels
    )
    found = [folder / "segments.csv" for folder in folders.values() if (folder / "segments.csv").exists()]
    write_segments(
        work.segments, {video: known for path in found for video, known in read_segments(path).items()}
    )
    report = extract(
        [folder / "videos" for folder in folders.values()],
        work.raw,
        encoder=EncoderChoice("i3d", size=FRAME_SIZE),
        sampling=Sampling(static_clips=STILLS),
        options=ExtractOptions(workers=workers, shard_videos=8),
    )
    assert not report.failures, report.failures[0].reason


def merge_labels(parts: dict[str, Labels]) -> Labels:
    """One table for several sets of videos; a column that a set does not have is blank there, people are its own."""
    names = list(dict.fromkeys(name for part in parts.values() for name in part.columns))
    blank = {task: np.full(len(part.video), "") for task, part in parts.items()}
    return Labels(
        video=np.concatenate([part.video for part in parts.values()]),
        split=np.concatenate([part.split for part in parts.values()]),
        person=np.concatenate(
            [np.char.add(f"{task}-", part.column("person")) for task, part in parts.items()]
        ),
        columns={
            name: np.concatenate([part.columns.get(name, blank[task]) for task, part in parts.items()])
            for name in names
        },
    )


def measure(work: Work, store: Path, tasks: list[str], *, seeds: int) -> dict[str, Any]:
    """What fresh heads reach on a store, task by task."""
    found = {}
    for task in tasks:
        path = work.folder / "results" / f"{store.stem}-{task}-{seeds}.json"
        found[task] = once(
            path,
            lambda task=task: evaluate(
                task, store, labels=work.labels, segments=work.segments, seeds=range(seeds)
            ).to_dict(),
        )
        print(f"{store.name} {task}: {found[task]['metric']} {found[task]['mean']:.3f}", file=sys.stderr)
    return found


def measure_adapter(work: Work, row: Row, tasks: list[str], *, seeds: int) -> dict[str, Any]:
    """Fit the row's adapter, apply it, and measure every task on what comes out."""
    folder, safe = work.folder / "adapters" / row.name, work.folder / "safe" / f"{row.name}.store"
    if not (folder / "config.json").exists():
        config = load_config(row.preset, row.changes)
        fit(work.raw, folder, labels=work.labels, segments=work.segments, config=config, tasks=row.tasks)
    apply(folder, work.raw, safe)
    return measure(work, safe, tasks, seeds=seeds)


def once(path: Path, action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result in a file, made now if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(action()) + "\n")
    return json.loads(path.read_text())


def render_docs(result: dict[str, Any]) -> str:
    """The result as a page in Markdown."""
    sizes = ", ".join(f"{count} for {task}" for task, count in result["videos"].items() if count)
    lines = [
        "# The tasks on `actors`",
        "",
        "Written by `python benchmarks/actors_tasks.py`; do not edit.",
        "",
        f"Videos: {sizes}, {RENDER_SIZE} px, 16 frames per second. Features: I3D at {FRAME_SIZE} px, one clip of 16 "
        f"frames per second of video. Heads: fresh for every store, {result['seeds']} seeds, scored on test videos; "
        "people in the test videos appear in no other. Every interval is of 95 % over videos.",
        "",
        "## Raw features",
        "",
        "| task | metric | mean over seeds | single seeds | wanted | chance | seconds per head | further |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for task, found in result["raw"].items():
        singles = "; ".join(f"{s['value']:.3f} [{s['low']:.3f}, {s['high']:.3f}]" for s in found["seeds"])
        seconds = np.mean([seed["fit_seconds"] for seed in found["seeds"]])
        further = ", ".join(f"{name} {value:.3f}" for name, value in found["details"].items())
        wanted = f"{TARGETS[task]:.2f}" if task in TARGETS else ""
        lines.append(
            f"| {task} | {found['metric']} | {found['mean']:.3f} | {singles} | {wanted} | {found['chance']:.3f} "
            f"| {seconds:.0f} | {further} |"
        )
    if result["adapters"]:
        lines += [
            "",
            "## Behind adapters",
            "",
            "Means over seeds, and in brackets the share of the raw value; **bold** where the adapter was fitted for "
            "the task, otherwise the task is unseen.",
            "",
            f"| preset | fitted for | {' | '.join(result['raw'])} |",
            f"|---|---|{'---|' * len(result['raw'])}",
        ]
    for row in result["adapters"]:
        cells = []
        for task, raw in result["raw"].items():
            value = row["tasks"][task]["mean"]
            text = f"{value:.3f} ({value / raw['mean']:.0%})"
            cells.append(f"**{text}**" if task in row["fitted_for"] else text)
        settings = " ".join(row["changes"])
        lines.append(f"| {row['preset']} {settings} | {', '.join(row['fitted_for'])} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder for videos, stores, adapters and results")
    parser.add_argument("--action-videos", type=int, default=240)
    parser.add_argument("--detection-videos", type=int, default=80)
    parser.add_argument("--anomaly-videos", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--adapters", action="store_true", help="also fit adapters for some of the tasks")
    parser.add_argument("--epochs", type=int, default=30, help="of adapters that are trained")
    parser.add_argument("--docs", type=Path, help="file for the result as a page")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    work = Work(options.work)
    sizes = {task: getattr(options, f"{task}_videos") for task in TASKS}
    tasks = [task for task, count in sizes.items() if count]
    prepare(work, sizes, workers=options.workers)
    result: dict[str, Any] = {"videos": sizes, "seeds": options.seeds, "threads": torch.get_num_threads()}
    result["raw"] = measure(work, work.raw, tasks, seeds=options.seeds)
    rows = adapter_rows(options.epochs) if options.adapters else []
    result["adapters"] = [
        {
            "preset": row.preset,
            "changes": row.changes,
            "fitted_for": row.tasks,
            "tasks": measure_adapter(work, row, tasks, seeds=options.seeds),
        }
        for row in rows
        if set(row.tasks) <= set(tasks)
    ]
    if options.docs:
        options.docs.parent.mkdir(parents=True, exist_ok=True)
        options.docs.write_text(render_docs(result))
    print(json.dumps(result) if options.json else render_docs(result))


if __name__ == "__main__":
    main()
