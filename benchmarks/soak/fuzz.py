"""Damaged files of every kind, one after the other: each must end with a sentence or be harmless.

Run: python -m benchmarks.soak.fuzz [--cases N] [--seed N] [--only NAME]
The cases run in this process, as the command line would; a crash of it is a finding, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.soak.material import write_material
from benchmarks.soak.targets import TARGETS, Target
from latentveil.cli import main as command_line
from latentveil.errors import InputError

MOST_SECONDS = 20
DONE, BAD_INPUT, SOME_FAILED = 0, 2, 3


class TooSlowError(Exception):
    """A case took longer than any file of this size may."""


@dataclass
class Tally:
    """What happened to the cases of one kind of file: statuses, the slowest one, and everything that went wrong."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    findings: list[str] = field(default_factory=list)

    def to_dict(self) -> dict:
        return {
            "cases": sum(self.statuses.values()) + len(self.findings),
            "harmless": self.statuses[DONE],
            "refused": self.statuses[BAD_INPUT],
            "listed as failed": self.statuses[SOME_FAILED],
            "slowest_seconds": round(self.slowest, 2),
            "findings": self.findings,
        }


def run_case(target: Target, material: Path, *, seed: int) -> tuple[int, str]:
    """The status of one case and what was said on standard error."""
    draw = random.Random(f"{target.name} {seed}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        case = _damaged_copy(target, material, folder, draw)
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


def _damaged_copy(target: Target, material: Path, folder: Path, draw: random.Random) -> Path:
    """A copy of an example with its damage; the folder around it where the file is not alone."""
    example = draw.choice(sorted(path for pattern in target.files for path in material.glob(pattern)))
    damaged = target.mutate(example.read_bytes(), draw)
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


def fuzz(num_cases: int, *, seed: int, only: str | None = None) -> dict:
    """``num_cases`` cases spread evenly over all kinds of files; what came of them."""
    if not any(command.name == "verify" for command in command_line.app.registered_commands):
        command_line._add_subcommands()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    chosen = [target for target in TARGETS if only in (None, target.name)]
    tallies = {target.name: Tally() for target in chosen}
    with tempfile.TemporaryDirectory() as place:
        material = Path(place) / "material"
        with contextlib.redirect_stderr(io.StringIO()):
            write_material(material)
        before = _peak_megabytes()
        for number in range(num_cases):
            target = chosen[number % len(chosen)]
            _judge(tallies[target.name], target, material, seed=seed + number)
        grown = _peak_megabytes() - before
    return {
        "cases": num_cases,
        "seed": seed,
        "peak_memory_grew_megabytes": round(grown),
        "kinds": {name: tally.to_dict() for name, tally in tallies.items()},
    }


def _judge(tally: Tally, target: Target, material: Path, *, seed: int) -> None:
    started = time.monotonic()
    try:
        with _at_most(MOST_SECONDS):
            status, said = run_case(target, material, seed=seed)
    except Exception:  # just what is looked for
        tally.findings.append(f"case {seed}: {traceback.format_exc(limit=-3)}")
        return
    finally:
        tally.slowest = max(tally.slowest, time.monotonic() - started)
    silent = status == BAD_INPUT and "veil: " not in said
    if status not in (DONE, BAD_INPUT, SOME_FAILED) or silent or "Traceback" in said:
        tally.findings.append(f"case {seed}: status {status}, said {said[-500:]!r}")
    else:
        tally.statuses[status] += 1


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    chosen = parser.parse_args()
    found = fuzz(chosen.cases, seed=chosen.seed, only=chosen.only)
    print(json.dumps(found, indent=1))
    sys.exit(any(kind["findings"] for kind in found["kinds"].values()))


if __name__ == "__main__":
    main()
