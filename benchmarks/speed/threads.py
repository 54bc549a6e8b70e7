"""What calm threads, one thread for small work and several workers gain beside other programs.

Run: python -m benchmarks.speed.threads [--busy N] [--turns N] [--videos N] [--encoder i3d] [--json]

Each work runs in a process of its own, beside processes that do nothing but count. "Before" is what OpenMP and torch do
when nobody tells them otherwise, "after" is what Latentveil tells them; both take turns in one run. A
work that takes longer than the limit is stopped there, and counts as long as the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

BEFORE, AFTER = "before", "after"
SETTINGS = ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
MODULE = "benchmarks.speed.threads"
HEAD_STEPS = 2
CLIPS, DIM = 24, 128


def train_head(_: Path, __: str) -> None:
    """Some steps of a small detector on few short videos."""
    from dataclasses import replace

    from benchmarks.speed.random_clips import as_videos, random_features
    from latentveil.labels import Labels, Segment
    from latentveil.machine.threads import threads_for
    from latentveil.tasks.detection.config import TriDetConfig
    from latentveil.tasks.detection.task import DetectionTask

    features = as_videos(random_features(16 * CLIPS, DIM), CLIPS)
    names = features.videos
    labels = Labels(video=_array(names), split=_array(["train"] * len(names)))
    segments = {name: [Segment(2.0, 6.0, f"event{number % 2}")] for number, name in enumerate(names)}
    config = replace(TriDetConfig.small(), warmup_epochs=1, cosine_epochs=1, min_steps=HEAD_STEPS)
    with threads_for(features.feature.size):
        DetectionTask(features, labels, segments, config=config).fit_head(seed=0)


def attack(_: Path, __: str) -> None:
    """The MLP attack on a secret of few short videos."""
    from benchmarks.speed.random_clips import as_videos, random_features
    from latentveil.auditing.answers import attack_secret
    from latentveil.labels import Labels

    features = as_videos(random_features(64 * 4, DIM), 4)
    number = range(len(features.videos))
    splits = [("train", "train", "val", "test")[index % 4] for index in number]
    secret = [str(index // 4 % 2) for index in number]
    labels = Labels(_array(features.videos), _array(splits), columns={"secret_look": _array(secret)})
    attack_secret(features, features, labels, "look", kind="temporal", attacks=["mlp"])


def encode(folder: Path, turn: str) -> None:
    """An extraction of one clip of each video, with the workers of its turn."""
    from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
    from latentveil.types import Sampling

    workers = 1 if turn == BEFORE else None
    choice = EncoderChoice(**json.loads((folder / "encoder.json").read_text()))
    with tempfile.TemporaryDirectory() as store:
        run_extraction(
            [folder / "videos"],
            Path(store) / "store",
            encoder=choice,
            sampling=Sampling(clips=1),
            options=ExtractOptions(workers=workers),
        )


WORKS: dict[str, Callable[[Path, str], None]] = {"head": train_head, "attack": attack, "extraction": encode}


def _array(values: Sequence[str]) -> np.ndarray:
    import numpy as np

    return np.array(values)


def work_here(name: str, turn: str, folder: Path, *, limit_seconds: float) -> dict[str, float]:
    """Seconds of the wall clock and of all cores for one work in this process, whose threads are as ``turn`` says."""
    first, second = ("torch", "latentveil") if turn == BEFORE else ("latentveil", "torch")
    import_module(first)  # OpenMP reads how threads wait when torch is imported, and never again
    import_module(second)
    if turn == BEFORE:
        from latentveil import threads

        threads.SMALL_NUMBERS = 0
    wall, cores = time.perf_counter(), _core_seconds()
    with suppress(TimeoutError):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, limit_seconds)
        WORKS[name](folder, turn)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"seconds": time.perf_counter() - wall, "core_seconds": _core_seconds() - cores}


def _stop(*_: object) -> None:
    raise TimeoutError


def _core_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def work_elsewhere(name: str, turn: str, folder: Path, *, limit_seconds: float) -> dict[str, float]:
    """The same in a new process."""
    environment = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    command = [sys.executable, "-m", MODULE, "--work", name, turn, str(folder), "--limit", str(limit_seconds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that take what they can get of the cores."""
    with ExitStack() as stack:
        for _ in range(count):
            spinning = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(spinning.kill)
        yield


def measure(
    folder: Path, *, num_busy: int, turns: int, works: Sequence[str], limit_seconds: float
) -> dict[str, dict[str, float]]:
    """For each work the medians over turns, and how many times faster it is now."""
    taken: dict[str, dict[str, list[dict[str, float]]]] = {name: {BEFORE: [], AFTER: []} for name in works}
    with busy(num_busy):
        for _ in range(turns):
            for name in works:
                for turn in (BEFORE, AFTER):
                    taken[name][turn].append(work_elsewhere(name, turn, folder, limit_seconds=limit_seconds))
    return {name: _summary(**found) for name, found in taken.items()}


def _summary(before: list[dict[str, float]], after: list[dict[str, float]]) -> dict[str, float]:
    seconds, cores = (
        [statistics.median(turn[unit] for turn in turns) for turns in (before, after)]
        for unit in ("seconds", "core_seconds")
    )
    return {
        "seconds_before": seconds[0],
        "seconds_after": seconds[1],
        "times_faster": seconds[0] / seconds[1],
        "core_seconds_before": cores[0],
        "core_seconds_after": cores[1],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--busy", type=int, default=2, help="processes that do nothing but count")
    parser.add_argument("--turns", type=int, default=1, help="medians are shown where there are several")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a work is stopped")
    parser.add_argument("--videos", type=int, default=16, help="of 16 frames, for the extraction")
    parser.add_argument("--encoder", default="i3d")
    parser.add_argument("--size", type=int, default=112, help="side of the frames in pixels")
    parser.add_argument("--works", nargs="+", choices=WORKS, default=list(WORKS))
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        name, turn, place = options.work
        print(json.dumps(work_here(name, turn, Path(place), limit_seconds=options.limit)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "extraction" in options.works:
            from benchmarks.speed.extraction import make_videos

            (folder / "videos").mkdir()
            make_videos(folder / "videos", options.videos)
            (folder / "encoder.json").write_text(json.dumps({"name": options.encoder, "size": options.size}))
        found = measure(
            folder,
            num_busy=options.busy,
            turns=options.turns,
            works=options.works,
            limit_seconds=options.limit,
        )
    rounded = {work: {key: round(value, 3) for key, value in row.items()} for work, row in found.items()}
    if options.json:
        about = {"busy_processes": options.busy, "turns": options.turns, "limit_seconds": options.limit}
        print(json.dumps({**about, "work": rounded}))
        return
    for work, row in rounded.items():
        print(f"{work:12} " + "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
