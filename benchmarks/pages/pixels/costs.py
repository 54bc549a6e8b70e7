"""What training costs, every method in a process of its own, one after the other in one run."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import latentveil as lv
from benchmarks.pages.pixels.measured import MEASURED, write_json
from latentveil.bench.pixels.clips import ClipShape
from latentveil.bench.pixels.data import PixelData, load_pixel_data
from latentveil.bench.pixels.recognizers import video_features
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings, training_videos
from latentveil.pixels.learning.settings import LearnedSettings
from latentveil.pixels.networks.base import count_parameters
from latentveil.progress import Progress
from latentveil.types import FeatureSet

LATENT, ENCODING = "latent", "encoding"
AT_PAPERS_SIZES = (
    ", papers' sizes"  # behind a system's name: its networks, frames and clips are those of its paper
)
SMALL_PRESET = "short"
# Of the papers' sizes a few clips are enough, with as many pictures to a clip as in whole batches (24 to 64).
FEW_CLIPS = ("train.batch_size=3", "train.privacy_batch_size=8")
NEVER_STOPPED = ("health.patience=99", "health.min_contrast=0")  # two steps make no anonymizer
IDLE = {"penalty": ("penalty.idle=tell",)}  # nor do they reach the bound
EPOCHS = 2  # the last one counts: the first one also decodes
BATCHES = 2  # f_A gets one and the others the next; an epoch of all clips costs as many times more
COSTS = MEASURED / "costs.json"
MODULE = "benchmarks.pages.pixels"


class Clock:
    """Hears of a training's progress: the processor time of each epoch."""

    def __init__(self) -> None:
        self.epochs: list[float] = []
        self._last = time.process_time()

    def __call__(self, progress: Progress) -> None:
        now = time.process_time()
        if progress.stage == "fitting":
            self.epochs.append(now - self._last)
        self._last = now


def measure_costs(data: Path, cache: Path) -> None:
    """All methods in one run; the page shows ratios."""
    learned = [method.name for method in PIXEL_METHODS.all() if method.learned]
    found = {}
    for name in (LATENT, ENCODING, *learned, *(f"{name}{AT_PAPERS_SIZES}" for name in learned)):
        command = [sys.executable, "-m", MODULE, "cost", name, "--data", str(data), "--cache", str(cache)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == -signal.SIGKILL:  # as Linux ends what asks for more memory than there is
            found[name] = {"out_of_memory": True}
        else:
            done.check_returncode()
            found[name] = json.loads(done.stdout.splitlines()[-1])
        print(name, found[name], file=sys.stderr)
        write_json(COSTS, found)


def cost_of(name: str, data: Path, cache: Path) -> dict[str, Any]:
    """Seconds of an epoch over all training videos, learned parameters, and the peak memory of this process."""
    pixel_data = load_pixel_data(data, ClipShape(), cache=cache)
    number = len(pixel_data.labels.videos("train"))
    if name == ENCODING:
        found = _encoding(pixel_data, number)
    elif name == LATENT:
        found = _latent(pixel_data)
    else:
        found = _pixels(name, pixel_data, number)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found | {"peak_megabytes": round(peak), "videos": number}


def _pixels(name: str, data: PixelData, number: int) -> dict[str, Any]:
    """An epoch of some clips, as long as one of all would take by its number of clips."""
    method, clock = PIXEL_METHODS.get(name.removesuffix(AT_PAPERS_SIZES)), Clock()
    changes = [f"train.epochs={EPOCHS}", "start.reconstruct_steps=1", "start.players_epochs=0"]
    if name.endswith(AT_PAPERS_SIZES):
        settings = choose_settings(
            method, method.name, [*changes, *FEW_CLIPS, *NEVER_STOPPED, *IDLE.get(method.name, ())]
        )
    else:
        settings = choose_settings(method, SMALL_PRESET, changes)
    assert isinstance(settings, LearnedSettings)
    some = data.labels.videos("train")[: BATCHES * settings.train.batch_size]
    videos = training_videos(data.folder, data.labels.only(some), tasks=("action",), secrets=method.oracle)
    made = method.make(videos, settings, on_progress=clock)
    share = len(some) / number
    return {
        "epoch_seconds": round(clock.epochs[-1] / share, 3),
        "step_seconds": round(clock.epochs[-1] / BATCHES, 3),
        "parameters": count_parameters(made),
    }


def _latent(data: PixelData) -> dict[str, Any]:
    clock, labels = Clock(), data.labels
    table = {"video": labels.video, "split": labels.split, "action": labels.column("action")}
    settings = ["train.epochs=5", "adapter.init=exact"]
    adapter = lv.fit(data.features, table, preset="paper", settings=settings, progress=clock)
    assert isinstance(data.features, FeatureSet)
    return {
        "epoch_seconds": round(float(np.median(clock.epochs[1:])), 3),
        "step_seconds": None,
        "parameters": count_parameters(adapter),
    }


def _encoding(data: PixelData, number: int) -> dict[str, Any]:
    """What the latent method needs once before: I3D on each clip and on two stills of it."""
    assert data.raw is not None
    clips, start = data.raw.pictures[:32], time.process_time()
    video_features(clips)
    seconds = (time.process_time() - start) / len(clips) * 3 * number
    return {"epoch_seconds": round(seconds, 3), "step_seconds": None, "parameters": 0}
