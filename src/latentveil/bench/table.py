"""A bench's results as Markdown: means over seeds with intervals, and the area under each trade-off curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.bench.convergence import RULE
from latentveil.bench.readings import Entry, Subject, describe_subject, find_reading, subjects, subjects_of
from latentveil.bench.recipe import Recipe
from latentveil.bench.scores import mean_and_half_width, mean_in_words
from latentveil.metrics.hypervolume import Normalisers, hypervolume
from latentveil.types import TEMPORAL


def render_results(recipe: Recipe, entries: Sequence[Entry], *, note: str = "") -> str:
    """The page for docs/: one row per method, then the curves; a ``note`` stands below the title."""
    seeds = sorted({entry["seed"] for entry in entries})
    wanted = subjects(recipe.secrets, recipe.kinds)
    columns = " | ".join(describe_subject(subject) for subject in wanted)
    lines = [
        f"# {recipe.title}",
        "",
        *([note, ""] if note else []),
        f"Written by `veil bench`; do not edit. {mean_in_words(seeds)} Each seed draws other seen actions, folds, "
        "attackers and noise. For each secret the best attack counts, retrained on the features it attacks.",
        "",
        f"| method | {columns} | seen actions | unseen actions |",
        "|---" * (len(wanted) + 3) + "|",
    ]
    for row in recipe.rows:
        found = [entry for entry in entries if entry["row"] == row.key]
        if row.full and found:
            cells = [secret_cell(found, subject) for subject in wanted]
            lines.append(
                f"| {row.name} | {' | '.join(cells)} | {task_cell(found, 'seen')} | {task_cell(found, 'unseen')} |"
            )
    lines += [
        "",
        *_levels(entries, wanted),
        "",
        *_trainings(recipe, entries),
        *_against_floor(recipe, entries, wanted),
        *_curves(recipe, entries),
    ]
    return "\n".join(lines) + "\n"


def secret_cell(entries: Sequence[Entry], subject: Subject) -> str:
    """What the best attack reaches and the share of the leakage that is gone."""
    secrets = [find_reading(entry, subject) for entry in entries]
    removed = [secret["leakage_removed"] for secret in secrets if secret["leakage_removed"] is not None]
    text = mean_and_half_width([secret["worst"]["anonymized"]["value"] for secret in secrets])
    return f"{text} ({np.mean(removed):.0%} gone)" if removed else text


def task_cell(entries: Sequence[Entry], task: str) -> str:
    """What fresh heads reach and the share of the raw score that is kept."""
    text = mean_and_half_width([entry[task]["anonymized"]["value"] for entry in entries])
    kept = [entry[task]["kept"] for entry in entries if entry[task]["kept"] is not None]
    return f"{text} ({np.mean(kept):.1%} kept)" if kept else text


def _levels(entries: Sequence[Entry], wanted: Sequence[Subject]) -> list[str]:
    """Chance levels and measures, once for all rows."""
    for entry in entries:
        if set(wanted) <= set(subjects_of(entry)):
            parts = [
                f"{describe_subject(subject)}: {find_reading(entry, subject)['metric']}" for subject in wanted
            ]
            chances = [f"{find_reading(entry, subject)['chance']:.2f}" for subject in wanted]
            return ["Measures and guessing: " + "; ".join(f"{a}, {b}" for a, b in zip(parts, chances)) + "."]
    return []


def _trainings(recipe: Recipe, entries: Sequence[Entry]) -> list[str]:
    """Which of the trained rows came to rest."""
    keys = {row.key for row in recipe.rows}
    trained = [entry for entry in entries if entry["row"] in keys and "training" in entry]
    if not trained:
        return []
    restless = [entry for entry in trained if not entry["training"]["converged"]]
    text = f"{len(trained) - len(restless)} of the {len(trained)} trained adapters converged"
    if restless:
        text += ", all but " + ", ".join(f"{entry['name']} (seed {entry['seed']})" for entry in restless)
    return [f"{text}: {RULE}.", ""]


def _against_floor(recipe: Recipe, entries: Sequence[Entry], wanted: Sequence[Subject]) -> list[str]:
    """The shares gone again, counted from what attacks score on features that say nothing instead of from guessing."""
    by_row = {
        row.name: [entry for entry in entries if entry["row"] == row.key] for row in recipe.rows if row.full
    }
    floor = by_row.pop(recipe.floor, [])
    if not floor:
        return []
    lowest = {subject: _mean_worst(floor, subject, "anonymized") for subject in wanted}
    lines = [
        "## Against features that say nothing",
        "",
        f"The best of several attacks is above guessing by luck alone: on `{recipe.floor}` it reaches "
        + "; ".join(f"{describe_subject(subject)} {lowest[subject]:.2f}" for subject in wanted)
        + ". The share gone when this floor takes the place of guessing, from the means over seeds; near 100 % attacks "
        "find no more than in noise, and what exceeds it is luck. The table above counts from guessing, which is "
        "stricter.",
        "",
        "| method | " + " | ".join(describe_subject(subject) for subject in wanted) + " |",
        "|---" * (len(wanted) + 1) + "|",
    ]
    for name, found in by_row.items():
        if found:
            gone = [_share_gone(found, subject, lowest=lowest[subject]) for subject in wanted]
            lines.append(f"| {name} | {' | '.join(gone)} |")
    return [*lines, ""]


def _share_gone(entries: Sequence[Entry], subject: Subject, *, lowest: float) -> str:
    """How much of what raw features show above ``lowest`` is gone, from the means over seeds."""
    raw, left = (_mean_worst(entries, subject, side) for side in ("raw", "anonymized"))
    return f"{(raw - left) / (raw - lowest):.0%}" if raw > lowest else "–"


def _mean_worst(entries: Sequence[Entry], subject: Subject, side: str) -> float:
    return float(np.mean([find_reading(entry, subject)["worst"][side]["value"] for entry in entries]))


def _curves(recipe: Recipe, entries: Sequence[Entry]) -> list[str]:
    """Each point of each curve, and the area (hypervolume) that the curve dominates, utility on unseen actions."""
    if not any(row.curve for row in recipe.rows):
        return []
    secret = recipe.secrets[0]
    lines = [
        "## Trade-off",
        "",
        f"Hiding {secret} in stored clips against unseen actions; attacks: {', '.join(recipe.curve_attacks)}. "
        "The area is that of the union of the points' rectangles, both axes between guessing (0) and raw (1).",
        "",
        f"| curve | area | points: {secret} / unseen |",
        "|---|---|---|",
    ]
    for curve in dict.fromkeys(row.curve for row in recipe.rows if row.curve):
        areas, texts = [], []
        rows = [row for row in recipe.rows if row.curve == curve]
        keys = {row.key for row in rows}
        for seed in sorted({entry["seed"] for entry in entries}):
            here = [entry for entry in entries if entry["row"] in keys and entry["seed"] == seed]
            points = [point for entry in here if (point := _point(entry, recipe)) is not None]
            if points:
                areas.append(hypervolume(np.array(points)))
        for row in rows:
            found = [entry for entry in entries if entry["row"] == row.key]
            if found:
                leak = np.mean([_curve_attack(entry, recipe) for entry in found])
                use = np.mean([entry["unseen"]["anonymized"]["value"] for entry in found])
                texts.append(f"{row.name}: {leak:.2f} / {use:.2f}")
        if texts:
            area = mean_and_half_width(areas) if areas else "–"
            lines.append(f"| {curve} | {area} | {'; '.join(texts)} |")
    return lines


def _curve_attack(entry: Entry, recipe: Recipe) -> float:
    """The best of the curve's attacks on anonymized clips, so that all points face the same attackers."""
    attacks = find_reading(entry, (recipe.secrets[0], TEMPORAL))["attacks"]
    return max(attacks[name]["anonymized"]["value"] for name in recipe.curve_attacks)


def _point(entry: Entry, recipe: Recipe) -> tuple[float, float] | None:
    """Utility and privacy of a row under a seed; None where raw features are not above guessing."""
    secret = find_reading(entry, (recipe.secrets[0], TEMPORAL))
    raw = max(secret["attacks"][name]["raw"]["value"] for name in recipe.curve_attacks)
    unseen = entry["unseen"]
    if unseen["raw"]["value"] <= unseen["chance"] or raw <= secret["chance"]:
        return None
    scale = Normalisers(
        task_raw=unseen["raw"]["value"],
        task_chance=unseen["chance"],
        attack_raw=raw,
        attack_chance=secret["chance"],
    )
    return scale.point(unseen["anonymized"]["value"], _curve_attack(entry, recipe))
