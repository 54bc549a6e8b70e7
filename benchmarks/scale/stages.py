"""Every stage behind the store on stores of growing size: seconds, core-seconds and the most memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.scale import kept
from benchmarks.scale.stage import LEAST_CLIPS, MADE_BY, READS, STAGES
from benchmarks.scale.synthetic import write_synthetic

PART = "stages"
DIM = 1024
SIZES = (10_000, 100_000, 1_000_000)


def measure_stages(
    folder: Path,
    *,
    sizes: Sequence[int],
    stages: Sequence[str],
    again: bool = False,
    results: Path = kept.FOLDER,
) -> None:
    """Measure what is not known in ``results`` yet; what a stage reads is in ``folder``/<size>, or made there first."""
    for size in sizes:
        store = write_synthetic(folder / str(size), size, dim=DIM)
        clips, stored = counts(store)
        kept.add(PART, ("stores", str(size)), {"clips": clips, "bytes": stored, "dim": DIM}, folder=results)
        for stage in stages:
            if size < LEAST_CLIPS.get(stage, 0):
                continue
            if again or str(size) not in kept.read(PART, folder=results).get("stages", {}).get(stage, {}):
                print(f"{stage}, {size:,} clips …", file=sys.stderr, flush=True)
                _make_what_is_read(stage, store)
                kept.add(PART, ("stages", stage, str(size)), run_stage(stage, store), folder=results)


def _make_what_is_read(stage: str, folder: Path) -> None:
    for name in READS.get(stage, ()):
        if not (folder / name).exists():
            _make_what_is_read(MADE_BY[name], folder)
            made = run_stage(MADE_BY[name], folder)
            assert "error" not in made, made


def counts(folder: Path) -> tuple[int, int]:
    """How many clips the store in ``folder`` has, and bytes."""
    manifest = json.loads((folder / "raw" / "manifest.json").read_text())
    return manifest["counts"]["clips"], sum(path.stat().st_size for path in (folder / "raw").iterdir())


def run_stage(stage: str, folder: Path) -> dict[str, Any]:
    """What the process of a stage told, or the last line of its complaint under ``error``."""
    assert stage in STAGES, stage
    command = [sys.executable, "-m", "benchmarks.scale.stage", stage, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no word"]
        return {"error": f"exit status {done.returncode}: {lines[-1]}"[:300]}
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: round(value, 2) for name, value in found.items()}
