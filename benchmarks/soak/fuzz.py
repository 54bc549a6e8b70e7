"""Damaged files of every kind, one after the other: each must end with a sentence or be harmless.

Run: python -m benchmarks.soak.fuzz [--cases N] [--seed N] [--only NAME]
The cases run in forked children, some dozens in each, with as much memory as such files may take; a crash of a child is
a finding, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.soak.children import know_all_commands
from benchmarks.soak.material import write_material
from benchmarks.soak.targets import TARGETS, Mutate, Target
from latentveil.cli import main as command_line
from latentveil.errors import InputError
from latentveil.machine.memory import allow_more

MOST_SECONDS = 20
MOST_MEGABYTES = 2000
CASES_IN_A_CHILD = 40
SOUND_CASES = 3
DONE, BAD_INPUT, SOME_FAILED = 0, 2, 3


class TooSlowError(Exception):
    """A case took longer than any file of this size may."""


@dataclass
class Tally:
    """What happened to the cases of one kind of file: statuses, the slowest one, and everything that went wrong."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    findings: list[str] = field(default_factory=list)

    def add(self, judged: dict) -> None:
        self.slowest = max(self.slowest, judged["seconds"])
        if judged["finding"] is None:
            self.statuses[judged["status"]] += 1
        else:
            self.findings.append(judged["finding"])

    def to_dict(self) -> dict:
        return {
            "cases": sum(self.statuses.values()) + len(self.findings),
            "harmless": self.statuses[DONE],
            "refused": self.statuses[BAD_INPUT],
            "listed as failed": self.statuses[SOME_FAILED],
            "slowest_seconds": round(self.slowest, 2),
            "findings": self.findings,
        }


def run_case(target: Target, material: Path, *, seed: int, is_damaged: bool = True) -> tuple[int, str]:
    """The status of one case and what was said on standard error."""
    draw = random.Random(f"{target.name} {seed}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        case = _copy(
            target, material, folder, draw, mutate=target.mutate if is_damaged else lambda content, _: content
        )
        if callable(target.run):
            return _call(target.run, case)
        words = {"case": str(case), "out": str(folder / "out"), "here": str(material)}
        arguments = [part.format(**words) for part in draw.choice(target.run)]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = command_line.run(arguments)
        return status, said.getvalue()


def _call(read, case: Path) -> tuple[int, str]:
    try:
        read(case)
    except InputError as error:
        return BAD_INPUT, f"veil: {error}"
    return DONE, ""


def require_sound(target: Target, material: Path) -> None:
    """Stop where files are refused that nobody damaged: then nothing is tried."""
    for seed in range(SOUND_CASES):
        status, said = run_case(target, material, seed=seed, is_damaged=False)
        if status != DONE:
            raise RuntimeError(f"{target.name} must be taken undamaged, got status {status}: {said}")


def _copy(target: Target, material: Path, folder: Path, draw: random.Random, *, mutate: Mutate) -> Path:
    """A copy of an example with its damage; the folder around it where the file is not alone."""
    example = draw.choice(sorted(path for pattern in target.files for path in material.glob(pattern)))
    damaged = mutate(example.read_bytes(), draw)
    if target.folder is None:
        case = folder / example.name
        case.write_bytes(damaged)
        return case
    case = folder / target.folder
    shutil.copytree(material / target.folder, case)
    (case / example.relative_to(material / target.folder)).write_bytes(damaged)
    return case


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fuzz(name: str, *, cases: int, seed: int, material: Path) -> dict[str, Any]:
    """``cases`` cases of one kind of file; ``material`` is what `write_material` made."""
    (target,) = [target for target in TARGETS if target.name == name]
    know_all_commands()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    require_sound(target, material)
    tally, grown = Tally(), 0.0
    for start in range(0, cases, CASES_IN_A_CHILD):
        batch = range(seed + start, seed + min(start + CASES_IN_A_CHILD, cases))
        grown = max(grown, _run_batch(tally, target, material, batch))
    return tally.to_dict() | {"megabytes": round(grown)}


def shares(total: int, parts: Sequence[str]) -> dict[str, int]:
    """So many of ``total`` for each part, as even as can be."""
    return {part: total // len(parts) + (number < total % len(parts)) for number, part in enumerate(parts)}


def _run_batch(tally: Tally, target: Target, material: Path, seeds: Sequence[int]) -> float:
    """Run cases in a child and add up what it tells, line by line; how many megabytes it came to need."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        allow_more(MOST_MEGABYTES)
        with os.fdopen(writing, "w") as told:
            before = _peak_megabytes()
            for seed in seeds:
                one = _judge(target, material, seed=seed)
                print(json.dumps(one | {"megabytes": _peak_megabytes() - before}), file=told, flush=True)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        judged = [json.loads(line) for line in told if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    for one in judged:
        tally.add(one)
    if len(judged) < len(seeds):
        how = os.waitstatus_to_exitcode(status)
        tally.findings.append(f"case {seeds[len(judged)]}: ended its process with status {how}")
        rest = seeds[len(judged) + 1 :]
        return max(_needed(judged), _run_batch(tally, target, material, rest) if rest else 0.0)
    return _needed(judged)


def _needed(judged: Sequence[dict]) -> float:
    return max((one["megabytes"] for one in judged), default=0.0)


def _judge(target: Target, material: Path, *, seed: int) -> dict:
    """The status of one case, or the finding that it is."""
    started = time.monotonic()
    finding, status = None, None
    try:
        with _at_most(MOST_SECONDS):
            status, said = run_case(target, material, seed=seed)
        silent = status == BAD_INPUT and "veil: " not in said
        if status not in (DONE, BAD_INPUT, SOME_FAILED) or silent or "Traceback" in said:
            finding = f"case {seed}: status {status}, said {said[-500:]!r}"
    except Exception:  # just what is looked for
        finding = f"case {seed}: {traceback.format_exc(limit=-3)}"
    return {"status": status, "finding": finding, "seconds": time.monotonic() - started}


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [target.name for target in TARGETS]
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=names)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        material = Path(place) / "material"
        with contextlib.redirect_stderr(io.StringIO()):
            write_material(material)
        kinds = shares(chosen.cases, [chosen.only] if chosen.only else names)
        found = {
            name: fuzz(name, cases=cases, seed=chosen.seed, material=material)
            for name, cases in kinds.items()
        }
    print(json.dumps(found, indent=1))
    sys.exit(any(kind["findings"] for kind in found.values()))


if __name__ == "__main__":
    main()
