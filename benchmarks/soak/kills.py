"""Commands that are killed at random moments and started again: what they leave must be what one run makes."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from typing import Any

from benchmarks.soak.children import Ended, keep_every_epoch, run, start, wrong_with
from benchmarks.soak.commands import files_of, words_of
from latentveil.store import find_problems
from latentveil.store.manifest import read_manifest
from latentveil.store.shard_file import read_footer

KILLS_IN_A_ROW = 3


def soak_kills(name: str, *, kills: int, seed: int, place: Path, world: Path) -> dict[str, Any]:
    """Kills of a command, how many hit it at work, and ends that differ from that of an undisturbed run."""
    draw = random.Random(f"{name} {seed}")
    out = place / "out"
    words = words_of(name, out=out, here=world)
    started = time.monotonic()
    undisturbed = run(words, prepare=keep_every_epoch)
    usual = time.monotonic() - started
    tally: dict[str, Any] = dict.fromkeys(("kills", "at_work", "lost", "double", "differing"), 0)
    tally["findings"] = []
    if wrong := wrong_with(undisturbed, 0):
        tally["findings"].append(f"undisturbed: {wrong}")
        return tally
    wanted, videos = files_of(out), _videos_of(out)
    while tally["kills"] < kills:
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(min(KILLS_IN_A_ROW, kills - tally["kills"])):
            child = start(words, prepare=keep_every_epoch)
            time.sleep(draw.uniform(0, usual))
            tally["at_work"] += child.kill()
            tally["kills"] += 1
        ended = run(words, prepare=keep_every_epoch)
        _compare(tally, ended, out=out, wanted=wanted)
        there = _videos_of(out)
        tally["lost"] += len(set(videos) - set(there))
        tally["double"] += len(there) - len(set(there))
    return tally


def _compare(tally: dict[str, Any], ended: Ended, *, out: Path, wanted: dict[str, str]) -> None:
    """Count what is wrong with the end of a run that was killed before."""
    there = files_of(out)
    # A run that had finished before it was killed is refused, as it should be.
    if ended.status != 0 and there == wanted:
        return
    if wrong := wrong_with(ended, 0):
        tally["findings"].append(wrong)
    if there != wanted:
        tally["differing"] += 1
        odd = sorted(name for name in there.keys() | wanted.keys() if there.get(name) != wanted.get(name))
        tally["findings"].append(f"other files than of one run: {odd[:8]}")
    if (out / "manifest.json").exists():
        tally["findings"] += [f"store: {problem}" for problem in find_problems(out)]


def _videos_of(folder: Path) -> list[str]:
    """The videos of a store, each as often as a shard holds it; what stands for them elsewhere is its files."""
    if not (folder / "manifest.json").exists():
        return list(files_of(folder))
    shards = read_manifest(folder).shards
    return [rows.video for name in shards for rows in read_footer(folder / name).videos]
