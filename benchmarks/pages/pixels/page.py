"""The page: rows, claims with a stated rule, and costs; numbers come from the cells alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.pages.pixels.rows import CLAIMS, ROWS, SECRETS, Claim
from latentveil.metrics.intervals import bootstrap, mean_of

Cells = Mapping[str, Mapping[int, dict]]  # row -> seed -> what was measured
ATTACK = "linear on features"  # the one that every row has, the latent one too


def render_page(cells: Cells) -> str:
    """The whole page from what was measured; rows that are missing are named."""
    some = next(iter(next(iter(cells.values())).values()))
    people, videos = len(set(some["people"])), len(some["people"])
    seeds = min(len(found) for found in cells.values()), max(len(found) for found in cells.values())
    missing = [row.name for row in ROWS if row.name not in cells]
    return "\n".join(
        [
            "# Pixel-level systems beside the latent one",
            "",
            "Written by `python -m benchmarks.pages.pixels`. Videos of `veil actors` at 64 pixels, trainings of the "
            "preset `tiny` cut short further: this shows that the systems run and how they are graded, not how good "
            f"they are at the papers' sizes. Graded on {videos} videos of {people} people who are in no training. "
            f"Seeds per row: {seeds[0]} to {seeds[1]}. Intervals are over people alone, so they leave out how much a "
            "second training would differ.",
            "",
            *([f"Not measured yet: {', '.join(missing)}.", ""] if missing else []),
            "## What is kept and what leaks",
            "",
            "![The same frames under every row](assets/pixels.png)",
            "",
            "Action: top-1 of f_T', a new last layer on I3D. The other columns: top-1, mean over "
            f"{', '.join(SECRETS)}, of attackers that are trained after f_A is fixed. Chance is always saying the most "
            "frequent class.",
            "",
            *_main_table(cells),
            "",
            "## Orderings of the papers",
            "",
            "Rule: the difference of the two rows over the same people, with its 95 % interval. It holds where the "
            "interval lies above 0, does not where it lies below, and else cannot be told. Leakage is that of a linear "
            "probe on I3D features, the one attacker that every row has.",
            "",
            "| claim | source | difference | verdict |",
            "|---|---|---|---|",
            *(_claim_line(claim, cells) for claim in CLAIMS),
            "",
            "## Cost",
            "",
            "Processor seconds of an epoch over the same training videos, learned parameters of the anonymizer, and "
            "peak memory of the whole process, which includes I3D.",
            "",
            *_cost_table(cells),
            "",
        ]
    )


def _main_table(cells: Cells) -> list[str]:
    attacks = ["from scratch", "trained on raw", "tuned from raw", ATTACK]
    lines = [f"| row | action | {' | '.join(attacks)} |", "|---|---|" + "---|" * len(attacks)]
    first = next(iter(next(iter(cells.values())).values()))
    chance = first["chance"]
    of_secrets = np.mean([chance[secret] for secret in SECRETS])
    lines.append(
        f"| chance | {chance['action']:.2f} | " + " | ".join([f"{of_secrets:.2f}"] * len(attacks)) + " |"
    )
    for row in (row.name for row in ROWS if row.name in cells):
        values = [_leakage(cells[row], attack) for attack in attacks]
        told = [_interval(_action(cells[row]), cells[row])]
        told += ["–" if value is None else _interval(value, cells[row]) for value in values]
        lines.append(f"| {row} | {' | '.join(told)} |")
    return lines


def _action(found: Mapping[int, dict]) -> np.ndarray:
    """How often the action of each test video (N,) was found, mean over seeds."""
    return np.mean([cell["action"] for cell in found.values()], axis=0)


def _leakage(found: Mapping[int, dict], attack: str) -> np.ndarray | None:
    """How often an attack found the secrets of each test video (N,), mean over seeds and secrets."""
    if any(attack not in cell["secrets"] for cell in found.values()):
        return None
    return np.mean(
        [[cell["secrets"][attack][name] for name in SECRETS] for cell in found.values()], axis=(0, 1)
    )


def _people(found: Mapping[int, dict]) -> np.ndarray:
    return np.array(next(iter(found.values()))["people"])


def _interval(values: np.ndarray, found: Mapping[int, dict]) -> str:
    interval = bootstrap(mean_of(values), _people(found), seed=0)
    return f"{interval.value:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def _claim_line(claim: Claim, cells: Cells) -> str:
    head = f"| {claim.words} | {claim.source} |"
    if claim.higher not in cells or claim.lower not in cells:
        return f"{head} – | not measured |"
    higher, lower = (
        _action(cells[row]) if claim.what == "action" else _leakage(cells[row], ATTACK)
        for row in (claim.higher, claim.lower)
    )
    assert higher is not None
    assert lower is not None
    interval = bootstrap(mean_of(higher - lower), _people(cells[claim.higher]), seed=0)
    difference = f"{interval.value:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"
    return f"{head} {difference} | {verdict(interval.low, interval.high)} |"


def verdict(low: float, high: float) -> str:
    """What an interval of a difference says of a claim that it is positive."""
    if low > 0:
        return "holds"
    return "does not hold" if high < 0 else "cannot be told"


def _cost_table(cells: Cells) -> list[str]:
    trained = {
        row.name: [cell["cost"] for cell in cells[row.name].values()]
        for row in ROWS
        if row.name in cells and all(cell["cost"]["epoch_seconds"] for cell in cells[row.name].values())
    }
    latent = trained.get("latent (splavu)")
    cheapest = np.mean([cost["epoch_seconds"] for cost in latent]) if latent else None
    lines = [
        "| row | seconds per epoch | times the latent one | parameters | peak MB |",
        "|---|---|---|---|---|",
    ]
    for name, costs in trained.items():
        seconds = float(np.mean([cost["epoch_seconds"] for cost in costs]))
        ratio = "–" if cheapest is None else f"{seconds / cheapest:.0f}"
        peak = max(cost["peak_megabytes"] for cost in costs)
        lines.append(f"| {name} | {seconds:.2f} | {ratio} | {costs[0]['parameters']:,} | {peak:.0f} |")
    return lines
