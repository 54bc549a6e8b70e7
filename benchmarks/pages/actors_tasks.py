"""What raw I3D features of `actors` are good for, per task: `python -m benchmarks.pages.actors_tasks WORK`.

Renders three sets of videos, encodes them into one store, and trains fresh heads for every task on it. Whatever is
finished in the folder WORK is kept, so that a run that was stopped goes on. `benchmarks.pages.table4` then measures
what is left behind adapters.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from latentveil.actors.sets.write import write_dataset
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.joined_labels import merge_labels
from latentveil.labels import Labels, read_segments, write_segments
from latentveil.tasks.evaluate import Evaluation, evaluate
from latentveil.types import Sampling

TASKS = ("action", "detection", "anomaly")
TARGETS = {"detection": 0.60, "anomaly": 0.90}  # what raw features should reach
RENDER_SIZE, FRAME_SIZE = 128, 112  # the centre of 112 pixels is cut out of 128, without resizing
STILLS = 2


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


def prepare(work: Work, sizes: dict[str, int], *, seed: int, workers: int) -> None:
    """Render and encode the videos of every task that has some into one store, with one table of labels for all."""
    folders = {task: work.folder / task for task, size in sizes.items() if size}
    for task, folder in folders.items():
        write_dataset(folder, task=task, num_videos=sizes[task], size=RENDER_SIZE, seed=seed, workers=workers)
    merge_labels({task: Labels.read(folder / "labels.csv") for task, folder in folders.items()}).write(
        work.labels
    )
    found = [folder / "segments.csv" for folder in folders.values() if (folder / "segments.csv").exists()]
    if found:
        segments = {video: known for path in found for video, known in read_segments(path).items()}
        write_segments(work.segments, segments)
    report = run_extraction(
        [folder / "videos" for folder in folders.values()],
        work.raw,
        encoder=EncoderChoice("i3d", size=FRAME_SIZE),
        sampling=Sampling(static_clips=STILLS),
        options=ExtractOptions(workers=workers, shard_videos=8),
    )
    assert not report.failures, report.failures[0].reason


def measure(work: Work, store: Path, tasks: list[str], *, seeds: int) -> dict[str, Any]:
    """What fresh heads reach on a store, task by task."""
    found = {}
    for task in tasks:
        path = work.folder / "results" / f"{store.stem}-{task}-{seeds}.json"
        segments = work.segments if work.segments.exists() else None
        action = partial(evaluate, task, store, labels=work.labels, segments=segments, seeds=range(seeds))
        found[task] = once(path, action)
        print(f"{store.name} {task}: {found[task]['metric']} {found[task]['mean']:.3f}", file=sys.stderr)
    return found


def once(path: Path, action: Callable[[], Evaluation]) -> dict[str, Any]:
    """The result in a file, made now if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(action().to_dict()) + "\n")
    return json.loads(path.read_text())


def render_docs(result: dict[str, Any]) -> str:
    """The result as a page in Markdown."""
    sizes = ", ".join(f"{count} for {task}" for task, count in result["videos"].items() if count)
    lines = [
        "# The tasks on `actors`",
        "",
        "Written by `python -m benchmarks.pages.actors_tasks WORK` (`make bench-tasks`); do not edit.",
        "",
        f"Videos: {sizes}, {RENDER_SIZE} px, 16 frames per second. Features: I3D at {FRAME_SIZE} px, one clip of 16 "
        f"frames per second of video. Heads: {result['seeds']} seeds each, trained on raw features of full width and "
        "scored on test videos; people in the test videos appear in no other. Every interval is of 95 % over videos.",
        "",
        "- action: which of 16 actions a clip of two seconds shows; a linear head.",
        "- detection: when which of 14 actions happens, in 18 to 30 seconds; TriDet (`tridet-small`).",
        "- anomaly: when somebody falls, two fight or all run, in 10 to 16 seconds, learned from labels of whole "
        "videos; MGFN (`mgfn-small`).",
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
    lines += [
        "",
        f"Seconds are of the clock, with {result['threads']} thread(s). What is left of these scores behind adapters "
        "is in [table4.md](table4.md).",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder for videos, stores, adapters and results")
    parser.add_argument("--action-videos", type=int, default=640)
    parser.add_argument("--detection-videos", type=int, default=160)
    parser.add_argument("--anomaly-videos", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=3, help="of the heads; 0 makes the data alone")
    parser.add_argument(
        "--actors-seed", type=int, default=0, help="another one draws other people and scenes"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--output", "-o", type=Path, help="the page")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args(arguments)
    work = Work(options.work)
    sizes = {task: getattr(options, f"{task}_videos") for task in TASKS}
    tasks = [task for task, count in sizes.items() if count]
    prepare(work, sizes, seed=options.actors_seed, workers=options.workers)
    if not options.seeds:
        return
    result: dict[str, Any] = {"videos": sizes, "seeds": options.seeds, "threads": torch.get_num_threads()}
    result["raw"] = measure(work, work.raw, tasks, seeds=options.seeds)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(render_docs(result))
    print(json.dumps(result) if options.json else render_docs(result))


if __name__ == "__main__":
    main()
