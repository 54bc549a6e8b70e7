"""Trains tiny adapters with one process and with two, one of which may die; run by test_ranks.py in a clean process."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from torch import manual_seed

from latentveil.files.run_folder import RunFolder
from latentveil.labels import Labels, Segment
from latentveil.methods.adversarial import train
from latentveil.methods.base import TrainingData
from latentveil.methods.feed import Feed
from latentveil.methods.material import build_training_data
from latentveil.methods.plan import FitPlan, load_config
from latentveil.methods.splavu import BudgetObjective
from latentveil.tasks.action import ActionTask
from latentveil.types import FeatureSet

DIM, NUM_VIDEOS = 16, 14
SMALL = (
    "adapter.layers=2",
    "adapter.heads=2",
    "adapter.init=exact",
    "train.epochs=3",
    "train.batch_size=5",
    "train.learning_rate=0.03",
)
PLANS = {
    "time": load_config("paper", (*SMALL, "loss.cross=0.5", "loss.consistency=0.1")),
    "batch": load_config(
        "released",
        (*SMALL, "loss.consistency=0.1", "heads.detection=tridet-small", "train.pretrained_heads="),
    ),
}
TASKS = {"time": ("action",), "batch": ("action", "detection")}


# Quick, and of another seed than what the second process builds for itself: it must get the first one's.
ActionTask.starting_head = lambda task, *, seed: task.build_head(seed=seed + 1)


def make_data(plan: FitPlan, tasks: tuple[str, ...]) -> TrainingData:
    """Videos of one to four clips and three stills; the first four are for validation."""
    random = np.random.default_rng(0)
    names = [f"video{number:02}" for number in range(NUM_VIDEOS)]
    features = FeatureSet.from_arrays(
        {name: random.normal(size=(1 + number % 4, DIM)) for number, name in enumerate(names)},
        stills={name: random.normal(size=(3, DIM)) for name in names},
        fps=16.0,
    )
    split = np.where(np.arange(NUM_VIDEOS) < 4, "val", "train")
    action = np.array(["walk", "run"])[np.arange(NUM_VIDEOS) % 2]
    labels = Labels(video=np.array(names), split=split, columns={"action": action})
    segments = {name: [Segment(start_seconds=0.0, end_seconds=1.0, label="jump")] for name in names}
    return build_training_data(features, labels, plan, tasks=tasks, segments=segments)


def run(name: str, folder: Path, *, dies_in_epoch: int | None = None) -> None:
    """Train the plan of this name; checkpoints and the log of losses are in ``folder``."""
    data = make_data(PLANS[name], TASKS[name])
    feed = Feed(data.features, data.tasks)

    def feeds(epoch: int) -> Feed:
        if epoch == dies_in_epoch and os.environ.get("RANK") == "1":
            os._exit(9)
        return feed

    settings = PLANS[name].settings
    kept = RunFolder(folder, settings={}, data=name, seconds_between_checkpoints=0)
    manual_seed(int(os.environ.get("RANK", "0")))  # what a process drew before must not matter
    train(feeds, BudgetObjective(settings.loss), settings, run=kept)


def in_two_processes(action: Callable[[], None]) -> list[int]:
    """Do the same in two processes, as torchrun would start them; gives their exit codes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    children = []
    for rank in range(2):
        child = os.fork()
        if child == 0:
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
            os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            try:
                action()
            except BaseException as error:
                print(type(error).__name__, str(error)[:300], file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def main(folder: Path) -> None:
    # the children first: a process that has trained may not be copied
    for name in PLANS:
        assert in_two_processes(lambda name=name: run(name, folder / f"{name}-two")) == [0, 0]
    cut = folder / "time-cut"
    assert in_two_processes(lambda: run("time", cut, dies_in_epoch=2)) == [1, 9]
    (folder / "lost.jsonl").write_bytes((cut / "log.jsonl").read_bytes())
    assert in_two_processes(lambda: run("time", cut)) == [0, 0]
    for name in PLANS:
        run(name, folder / f"{name}-one")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
