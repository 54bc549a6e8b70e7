"""Commands that are killed at random moments and started again: what they leave must be what one run makes."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from benchmarks.soak.material import write_material
from latentveil.cli import main as command_line
from latentveil.store import find_problems

# Every command writes {out}; its arguments name what `write_material` made at {here}.
COMMANDS = {
    "extract": (
        "extract", "{here}/videos", "-o", "{out}", "--encoder", "tiny", "--workers", "1", "--shard-videos", "2",
    ),
    "import": ("import", "{here}/several.npz", "-o", "{out}"),
    "apply": ("apply", "{here}/adapter", "{here}/raw", "-o", "{out}", "--seed", "7"),
    "fit": ("fit", "{here}/raw", "-o", "{out}", "--labels", "{here}/labels.csv", "--method", "leace"),
    "export": ("export", "{here}/raw", "--npy", "{out}"),
}  # fmt: skip
# What differs between two runs that are both right: locks and their marks.
IGNORED = (".lock", ".run")


def soak_kills(num_kills: int, *, seed: int, place: Path) -> dict[str, dict[str, int]]:
    """For each command: kills, how many hit it at work, and ends that differ from that of an undisturbed run."""
    material = place / "material"
    write_material(material)
    (material / "videos").mkdir()
    for number in range(6):
        shutil.copy(material / "video.mp4", material / "videos" / f"v{number}.mp4")
    draw = random.Random(seed)
    found: dict[str, dict[str, int]] = {}
    for number, (name, words) in enumerate(COMMANDS.items()):
        share = num_kills // len(COMMANDS) + (number < num_kills % len(COMMANDS))
        found[name] = _soak_one(words, share, draw=draw, place=place / name, material=material)
    return found


def _soak_one(
    words: tuple[str, ...], num_kills: int, *, draw: random.Random, place: Path, material: Path
) -> dict[str, int]:
    started = time.monotonic()
    _finish(words, place / "wanted", material)
    usual = time.monotonic() - started
    wanted = _files_of(place / "wanted")
    tally = {"kills": 0, "at_work": 0, "differing": 0, "problems": 0}
    out = place / "out"
    while tally["kills"] < num_kills:
        if out.exists():
            shutil.rmtree(out)
        for _ in range(min(3, num_kills - tally["kills"])):
            tally["kills"] += 1
            tally["at_work"] += _kill(words, out, material, after=draw.uniform(0, usual))
        status = _finish(words, out, material)
        finished_before = (
            status != 0 and _files_of(out) == wanted
        )  # a finished folder is refused, as it should be
        tally["differing"] += not finished_before and (status != 0 or _files_of(out) != wanted)
        tally["problems"] += bool((out / "manifest.json").exists() and find_problems(out))
    return tally


def _start(words: tuple[str, ...], out: Path, material: Path) -> int:
    """A child that runs the command; forked, so that the libraries are there already."""
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.dup2(2, 1)
    try:
        status = command_line.run([word.format(out=out, here=material) for word in words])
    finally:
        sys.stdout.flush()
        os._exit(status if "status" in locals() else 70)


def _kill(words: tuple[str, ...], out: Path, material: Path, *, after: float) -> bool:
    """Kill the command after so many seconds; whether it was still at work."""
    child = _start(words, out, material)
    time.sleep(after)
    ended, _ = os.waitpid(child, os.WNOHANG)
    if ended:
        return False
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _finish(words: tuple[str, ...], out: Path, material: Path) -> int:
    _, status = os.waitpid(_start(words, out, material), 0)
    return os.waitstatus_to_exitcode(status)


def _files_of(folder: Path) -> dict[str, str]:
    """{path in the folder: checksum} of everything that a run leaves."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in IGNORED
    }
