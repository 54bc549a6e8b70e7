"""Results that are kept in git, a small file for each run and seed: pages are written from them, and runs go on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from latentveil.bench.readings import Entry
from latentveil.bench.run import RESULTS
from latentveil.bench.runner import read_results
from latentveil.bench.spent import SPENT, Length, Spent, read_spent
from latentveil.errors import InputError
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole

LARGEST_FILE = 200_000  # bytes: what is kept is numbers, neither features nor answers


def keep_results(runs: Path, measured: Path) -> list[Path]:
    """Add the results of every run in ``runs`` to ``measured``; the newer of two of the same row and seed stays."""
    written = []
    for path in sorted(runs.glob(f"*/{RESULTS}")):
        folder = measured / path.parent.name
        known = {_key(entry): entry for entry in read_measured(folder)}
        known |= {_key(entry): entry for entry in read_results(path)}
        for seed in sorted({seed for _, seed in known}):
            entries = [entry for (_, its_seed), entry in known.items() if its_seed == seed]
            written.append(_write(folder / f"seed-{seed}.json", entries))
    return written


def keep_spent(runs: Path, measured: Path) -> Path:
    """Keep what the runs in ``runs`` took, by recipe; what is known of others, and of the other length, stays."""
    known = read_kept_spent(measured)
    for path in sorted(runs.glob(f"*/{SPENT}")):
        known[path.parent.name] = known.get(path.parent.name, {}) | read_spent(path.parent)
    told = {
        name: {length: asdict(one) for length, one in sorted(spent.items())} for name, spent in known.items()
    }
    measured.mkdir(parents=True, exist_ok=True)
    write_whole(measured / SPENT, json.dumps(dict(sorted(told.items())), indent=1) + "\n")
    return measured / SPENT


def read_kept_spent(measured: Path) -> dict[str, dict[Length, Spent]]:
    """What runs took, by recipe; nothing where none was kept."""
    path = measured / SPENT
    found = read_json(path, what="what runs took") if path.is_file() else {}
    return {
        name: {length: Spent(**values) for length, values in spent.items()} for name, spent in found.items()
    }


def restore_results(measured: Path, runs: Path) -> list[Path]:
    """Begin the runs in ``runs`` with what is kept, where they have not measured it themselves."""
    written = []
    for folder in sorted(path for path in measured.glob("*") if path.is_dir()):
        path = runs / folder.name / RESULTS
        own = read_results(path)
        there = {_key(entry) for entry in own}
        missing = [entry for entry in read_measured(folder) if _key(entry) not in there]
        if missing:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, "".join(json.dumps(entry) + "\n" for entry in [*own, *missing]))
            written.append(path)
    return written


def read_measured(folder: Path) -> list[Entry]:
    """The kept entries of one run, seed by seed."""
    files = sorted(folder.glob("seed-*.json"), key=lambda path: int(path.stem.removeprefix("seed-")))
    return [entry for path in files for entry in read_json(path, what="kept results")]


def _key(entry: Entry) -> tuple[str, int]:
    return entry["row"], entry["seed"]


def _write(path: Path, entries: Sequence[Entry]) -> Path:
    """One entry a line, so that a change shows in git as the lines of its rows."""
    text = "[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n"
    if len(text.encode()) > LARGEST_FILE:
        raise InputError(
            f"kept results must be at most {LARGEST_FILE} bytes a file, got {len(text.encode())} for {path}. Give the "
            "recipe fewer rows or columns."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    return path
