"""The section of docs/scale.md on one worker and two."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import table
from benchmarks.scale.model import WORKER_PARTS, Several, workers_found


def render_workers(found: dict[str, Any]) -> list[str]:
    """The lines of the section, from a measurement of ``workers``."""
    lines = ["## One worker and two", ""]
    if not found:
        return [
            *lines,
            "Not measured yet: `python -m benchmarks.scale --parts workers` on a quiet machine.",
            "",
        ]
    cores = int(found["machine"]["cores"])
    told = {name: workers_found(measured["runs"]) for name, measured in found["encoders"].items()}
    ratios = [
        [
            name,
            str(two.pairs),
            *map(_range, (two.ratio, two.more_cores, two.cheaper)),
            f"{two.possible(cores):.2f}",
        ]
        for name, two in told.items()
    ]
    costs = [
        [
            f"{name}, {workers}",
            f"{cost.clips_per_second:,.2f}",
            f"{cost.cores:.2f}",
            *(_milliseconds(cost.core_seconds[part]) for part in WORKER_PARTS),
            _milliseconds(sum(cost.core_seconds.values())),
            f"{cost.start_seconds:.1f}",
            f"{cost.others.low:.2f} to {cost.others.high:.2f}",
        ]
        for name, two in told.items()
        for workers, cost in two.costs.items()
    ]
    counts = ", ".join(f"{name}: {measured['videos']:,}" for name, measured in found["encoders"].items())
    return [
        *lines,
        "`veil extract` with `--workers 1` and `--workers 2` in turns over the same videos "
        f"({counts}), clips counted in the middle of each run: from a fifth of the videos to four fifths, when all "
        f"workers have started and none has run out. Median of the pairs of runs, and range; {cores} cores.",
        "",
        *table(
            ["encoder", "pairs", "clips per second, 2 to 1", "= cores in use, 2 to 1", "x core time of a clip, 1 to 2",
             f"possible on {cores} free cores"],
            ratios,
        ),
        "",
        "What is missing from 2 is in the columns behind it. *Cores in use*: a worker decodes in one thread and "
        f"encodes in another, so one may use more than a core already, and two cannot have more than the machine's "
        f"{cores}, of which other programs take their share. *Core time of a clip*: beside another worker it rises "
        "with caches and memory that both use, and by the parent, which hands out videos, receives features and writes "
        "shards. *Possible* follows from core time alone, whatever else the machine does: a worker is as fast as "
        "the slower of its two threads, two are no faster than the cores allow.",
        "",
        *table(
            ["encoder, workers", "clips per second", "cores in use", "decode and resize, core-ms a clip", "encode",
             "parent", "together", "seconds to the first clip", "cores that others used"],
            costs,
        ),
        "",
        "Medians of the runs. A single worker has no parent: it writes in the thread that encodes. The ratio is only "
        "worth something where others used few cores.",
        "",
    ]  # fmt: skip


def _range(several: Several) -> str:
    return f"{several.median:.2f} ({several.low:.2f} to {several.high:.2f})"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"
