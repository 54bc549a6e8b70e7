"""docs/scale.md, from docs/measured/scale alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import table
from benchmarks.scale import kept
from benchmarks.scale.model import (
    FRAMES_PER_SECOND,
    LIMIT_MEGABYTES,
    EncoderCost,
    encoder_cost,
    growth,
    stored_share,
)
from benchmarks.scale.workers_page import render_workers
from benchmarks.speed.extraction import PARTS
from latentveil.auditing.sampling import MAX_TRAINING_CLIPS, MAX_VALIDATION_CLIPS
from latentveil.auditing.sampling import MOST_BYTES as AUDIT_BYTES
from latentveil.auditing.sampling import MOST_BYTES_IF_REDRAWN as REDRAWN_BYTES
from latentveil.methods.fit import MOST_BYTES as FIT_BYTES
from latentveil.methods.fit import MOST_BYTES_TRAINED as TRAIN_BYTES
from latentveil.methods.releases.windows import MAX_VIDEOS, MAX_WINDOWS
from latentveil.tasks.evaluate import MOST_BYTES as EVAL_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
THOUSAND_HOURS, MILLION_HOURS = 1_000, 1_000_000
DERIVED = ("verify", "apply", "export", "import")  # stages whose time grows with the store


def write_page(output: Path = PAGE, *, folder: Path = kept.FOLDER) -> None:
    """Write the page; what was not measured yet is said."""
    found = {part: kept.read(part, folder=folder) for part in ("stages", "encoders", "workers")}
    output.write_text("\n".join(render(**found)) + "\n")


def render(stages: dict[str, Any], encoders: dict[str, Any], workers: dict[str, Any]) -> list[str]:
    machine = stages.get("machine") or encoders.get("machine") or {}
    told = ", ".join(f"{name} {value}" for name, value in machine.items())
    lines = [
        "# Scale",
        "",
        "Written by `python -m benchmarks.scale` (`make bench-scale`) from `docs/measured/scale/*.json`; do not edit.",
        "",
        f"Machine: {told}. It was shared with other work, so the clock on the wall says little; core-seconds are the "
        "time that the processes themselves took. They still rise where others use the same caches and memory.",
        "",
        *_stages(stages),
        *_encoders(encoders, stages),
        *render_workers(workers),
        *_million_hours(encoders, stages),
        *_where_it_ends(stages),
    ]
    return lines


def _stages(found: dict[str, Any]) -> list[str]:
    if not found:
        return ["## Stages behind the store", "", "Not measured yet.", ""]
    stores = found["stores"]
    sizes = sorted(stores, key=int)
    counted = [stores[size]["clips"] for size in sizes]
    rows = []
    for stage, runs in found["stages"].items():
        slope = growth(runs, stores)
        rows.append(
            [
                stage,
                *(_megabytes(runs.get(size)) for size in sizes),
                *(_seconds(runs.get(size)) for size in sizes),
                "–" if slope is None else f"{slope.core_seconds_per_clip * 1e6:,.0f}",
            ]
        )
    header = [
        "stage",
        *(f"MB at {count:,}" for count in counted),
        *(f"core-s at {count:,}" for count in counted),
        "core-s per further million",
    ]
    loads = [run["load"] for runs in found["stages"].values() for run in runs.values()]
    return [
        "## Stages behind the store",
        "",
        f"Synthetic stores of {next(iter(stores.values()))['dim']:,} dimensions (ten clips and two stills a video), "
        f"one process per stage with one thread; load average {min(loads)} to {max(loads)}. Megabytes are the largest "
        "resident memory of the process, libraries included. `audit` is that of one secret with the attacks linear, "
        "lda and neighbours on clips and stills, the action task and all three risks; with the adapter, the "
        "attacker also redraws its noise. `tune` is of two trials of `subspace`, `eval` of one head for actions.",
        "",
        *table(header, rows),
        "",
        f"Closed forms read a seeded sample of at most {FIT_BYTES / 2**20:.0f} MB of features, trainings one of "
        f"{TRAIN_BYTES / 2**20:.0f} MB (`--read-gb` for more), and say so in the adapter's `recipe.sampled`; sums run "
        f"over it in blocks. `eval` reads {EVAL_BYTES / 2**20:.0f} MB, `tune` as much as an audit. "
        "`transport` reads every clip, shard by shard, keeps "
        f"moments, the sums of its groups and a sample of at most {MAX_VIDEOS:,} videos and {MAX_WINDOWS:,} vectors; "
        "of every video, its name, its group and its looks. An audit reads a seeded sample of at most "
        f"{AUDIT_BYTES / 2**20:.0f} MB of each store ({REDRAWN_BYTES / 2**20:.0f} MB where the attacker redraws the "
        "noise), whole people before others, and attacks learn from at most "
        f"{MAX_TRAINING_CLIPS:,} + {MAX_VALIDATION_CLIPS:,} clips of it; flags in audit.json and on the page say so. "
        "Of smaller stores everything is read.",
        "",
    ]


def _encoders(found: dict[str, Any], stages: dict[str, Any]) -> list[str]:
    lines = ["## From video to store", ""]
    if not found or not stages:
        return [*lines, "Not measured yet.", ""]
    share = stored_share(stages["stores"])
    rows = []
    for name, measured in found["encoders"].items():
        cost = encoder_cost(measured, share=share)
        rows.append(
            [
                name,
                *(f"{cost.core_seconds[part]:.4f}" for part in PARTS),
                f"{cost.core_hours_per_hour * THOUSAND_HOURS:,.0f}",
                f"{cost.core_seconds['encode'] / cost.core_hours_per_hour:.0%}",
                f"{cost.bytes_per_clip:,.0f}",
                f"{cost.bytes_per_hour * THOUSAND_HOURS / 1e9:,.1f}",
            ]
        )
    one = next(iter(found["encoders"].values()))
    header = [
        "encoder",
        *PARTS,
        "core-hours per 1,000 h",
        "of it encoding",
        "bytes per clip",
        "GB per 1,000 h",
    ]
    sampled = "; ".join(
        f"{name}: {measured['videos']} videos, {measured['clips']} clips"
        for name, measured in found["encoders"].items()
    )
    return [
        *lines,
        f"Core-seconds per second of video ({', '.join(one['sizes'])} pixels, one thread, no graphics card), "
        f"and what 1,000 hours at {FRAMES_PER_SECOND:g} frames a second take by them. Measured on few videos "
        f"({sampled}). Bytes: the largest store of the table above takes {share:.3f} of the bytes "
        "of its numbers in float32.",
        "",
        *table(header, rows),
        "",
    ]


def _million_hours(encoders: dict[str, Any], stages: dict[str, Any]) -> list[str]:
    lines = ["## A million hours", ""]
    if not encoders or not stages:
        return [*lines, "Not measured yet.", ""]
    share = stored_share(stages["stores"])
    costs = {name: encoder_cost(one, share=share) for name, one in encoders["encoders"].items()}
    rows = [[name, *_million(cost)] for name, cost in costs.items()]
    slopes = {
        stage: growth(stages["stages"][stage], stages["stores"])
        for stage in DERIVED
        if stage in stages["stages"]
    }
    clips = next(iter(costs.values())).clips_per_hour * MILLION_HOURS
    later = [
        [stage, f"{slope.core_seconds_per_clip * clips / 3600:,.0f}"]
        for stage, slope in slopes.items()
        if slope is not None
    ]
    return [
        *lines,
        f"By the slopes above, at {FRAMES_PER_SECOND:g} frames a second and clips that do not overlap: {clips:.3g} "
        "clips. Nobody has run this.",
        "",
        *table(["encoder", "core-hours", "days on 1,000 cores", "TB in float32", "TB in float16"], rows),
        "",
        f"Each stage over these clips (of {next(iter(stages['stores'].values()))['dim']:,} dimensions). Fits and "
        "audits are left out: they read samples, and the time to find these in a store does not go on growing by the "
        "slope of the table.",
        "",
        *table(["stage", "core-hours"], later),
        "",
    ]


def _million(cost: EncoderCost) -> list[str]:
    hours, stored = cost.core_hours_per_hour * MILLION_HOURS, cost.bytes_per_hour * MILLION_HOURS / 1e12
    return [f"{hours:,.0f}", f"{hours / 1000 / 24:,.1f}", f"{stored:,.1f}", f"{stored / 2:,.1f}"]


def _where_it_ends(found: dict[str, Any]) -> list[str]:
    lines = ["## Where each stage stops scaling", ""]
    if not found:
        return [*lines, "Not measured yet.", ""]
    rows = []
    for stage, runs in found["stages"].items():
        slope = growth(runs, found["stores"])
        if slope is None:
            continue
        most = slope.clips_in(LIMIT_MEGABYTES)
        rows.append(
            [
                stage,
                f"{slope.bytes_per_clip:,.0f}",
                "does not grow" if most is None else f"{most / 1e6:,.0f} million clips",
            ]
        )
    return [
        *lines,
        "Bytes of memory per further clip between the two largest stores, and where a stage would reach "
        f"{LIMIT_MEGABYTES / 1000:g} GB if it went on so. Two runs of one stage differ by some tens of megabytes, so a "
        "slope of a few bytes may be nothing; and a stage that reads all of the smaller store and a sample of the "
        "larger one (`fit paper`) does not go on so.",
        "",
        *table(["stage", "bytes per further clip", f"{LIMIT_MEGABYTES / 1000:g} GB at"], rows),
        "",
        "- *extract*: videos are independent; any number of machines share one store (shared folder, or Ray). It ends "
        "where decoding and encoding end: cores, and the disk or network that videos come from.",
        "- *verify, export, import*: one process, a shard at a time. Cut the data into several stores to use several "
        "machines.",
        "- *apply*: shards are independent; with `--engine ray` workers anonymize them, but one process writes (how "
        "many workers it keeps busy was not measured).",
        "- *fit, tune, eval, audit*: bounded by their samples; the names of all videos "
        "and their labels are in memory. The attacks of an audit are independent (`--engine ray`); tasks and risks are "
        "not spread.",
        "- *bench*: rows and seeds are independent (`--engine ray`); one trained adapter is one task.",
    ]


def _megabytes(run: dict[str, Any] | None) -> str:
    return "–" if run is None else "failed" if "error" in run else f"{run['megabytes']:,.0f}"


def _seconds(run: dict[str, Any] | None) -> str:
    return "–" if run is None or "error" in run else f"{run['core_seconds']:,.1f}"
