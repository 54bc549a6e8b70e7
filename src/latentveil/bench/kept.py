"""Results of runs as small JSON files in a repository, so that another machine or session goes on from them."""

from __future__ import annotations

import json
from pathlib import Path

from latentveil.bench.readings import Entry
from latentveil.bench.run import RESULTS
from latentveil.bench.runner import read_results
from latentveil.outputs import write_whole


def sync_results(runs: Path, measured: Path) -> list[Path]:
    """Let ``runs`` and ``measured`` hold the same entries; gives the files of ``measured``, one per run and seed.

    Where both have a row under a seed, that of the run counts: it is the newer one.
    """
    names = {path.parent.name for path in [*runs.glob(f"*/{RESULTS}"), *measured.glob("*/seed-*.json")]}
    files: list[Path] = []
    for name in sorted(names):
        results = runs / name / RESULTS
        kept = [entry for path in sorted((measured / name).glob("seed-*.json")) for entry in _read(path)]
        entries = _joined(read_results(results), kept)
        results.parent.mkdir(parents=True, exist_ok=True)
        write_whole(results, "".join(json.dumps(entry) + "\n" for entry in entries))
        files += _keep(entries, measured / name)
    return files


def _joined(newer: list[Entry], older: list[Entry]) -> list[Entry]:
    """All entries, one for each row and seed, seed by seed."""
    found = {(entry["seed"], entry["row"]): entry for entry in [*older, *newer]}
    return sorted(found.values(), key=lambda entry: entry["seed"])


def _keep(entries: list[Entry], folder: Path) -> list[Path]:
    """One file per seed, an entry per line."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for seed in sorted({entry["seed"] for entry in entries}):
        lines = [json.dumps(entry) for entry in entries if entry["seed"] == seed]
        files.append(folder / f"seed-{seed}.json")
        write_whole(files[-1], "[\n" + ",\n".join(lines) + "\n]\n")
    return files


def _read(path: Path) -> list[Entry]:
    entries: list[Entry] = json.loads(path.read_text())
    return entries
