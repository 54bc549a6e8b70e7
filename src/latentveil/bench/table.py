"""A bench's results as Markdown: means over seeds with intervals, and the area under each trade-off curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latentveil.bench.recipe import Recipe
from latentveil.evaluation.audit import secret_key
from latentveil.evaluation.hypervolume import Normalisers, hypervolume
from latentveil.types import TEMPORAL

# Two-sided 95 % points of Student's t for 1, 2, 3, … degrees of freedom.
STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


def render_results(recipe: Recipe, entries: Sequence[dict[str, Any]]) -> str:
    """The page for docs/: one row per method, then the curves."""
    seeds = sorted({entry["seed"] for entry in entries})
    keys = [secret_key(secret, kind) for secret in recipe.secrets for kind in recipe.kinds]
    lines = [
        f"# {recipe.title}",
        "",
        f"Written by `veil bench`; do not edit. Every number is the mean over seeds {', '.join(map(str, seeds))}, "
        "± half of its 95 % interval over seeds. Each seed draws other seen actions, folds, attackers and noise. "
        "For each secret the best attack counts, retrained on the features it attacks.",
        "",
        "| method | " + " | ".join(_column(key) for key in keys) + " | seen actions | unseen actions |",
        "|---" * (len(keys) + 3) + "|",
    ]
    for row in recipe.rows:
        found = [entry for entry in entries if entry["row"] == row.key]
        if row.full and found:
            cells = [_secret_cell(found, key) for key in keys]
            lines.append(
                f"| {row.name} | {' | '.join(cells)} | {_task_cell(found, 'seen')} | {_task_cell(found, 'unseen')} |"
            )
    lines += ["", *_levels(entries, keys), "", *_curves(recipe, entries)]
    return "\n".join(lines) + "\n"


def mean_and_half_width(values: Sequence[float]) -> str:
    """The mean over seeds with half of its 95 % interval (Student's t); the mean alone for one seed."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return f"{mean:.3f}"
    quantile = STUDENT[min(len(values) - 1, len(STUDENT)) - 1]
    return f"{mean:.3f} ± {quantile * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def _column(key: str) -> str:
    return key.removesuffix("_static") + (", stills" if key.endswith("_static") else ", clips")


def _secret_cell(entries: Sequence[dict[str, Any]], key: str) -> str:
    """What the best attack reaches and the share of the leakage that is gone."""
    secrets = [entry["secrets"][key] for entry in entries]
    removed = [secret["leakage_removed"] for secret in secrets if secret["leakage_removed"] is not None]
    text = mean_and_half_width([secret["worst"]["anonymized"]["value"] for secret in secrets])
    return f"{text} ({np.mean(removed):.0%} gone)" if removed else text


def _task_cell(entries: Sequence[dict[str, Any]], task: str) -> str:
    """What fresh heads reach and the share of the raw score that is kept."""
    text = mean_and_half_width([entry[task]["anonymized"]["value"] for entry in entries])
    kept = [entry[task]["kept"] for entry in entries if entry[task]["kept"] is not None]
    return f"{text} ({np.mean(kept):.1%} kept)" if kept else text


def _levels(entries: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[str]:
    """Chance levels and measures, once for all rows."""
    for entry in entries:
        if set(keys) <= set(entry["secrets"]):
            parts = [f"{_column(key)}: {entry['secrets'][key]['metric']}" for key in keys]
            chances = [f"{entry['secrets'][key]['chance']:.2f}" for key in keys]
            return ["Measures and guessing: " + "; ".join(f"{a}, {b}" for a, b in zip(parts, chances)) + "."]
    return []


def _curves(recipe: Recipe, entries: Sequence[dict[str, Any]]) -> list[str]:
    """Each point of each curve, and the area (hypervolume) that the curve dominates, utility on unseen actions."""
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
            points = [
                _point(entry, recipe) for entry in entries if entry["row"] in keys and entry["seed"] == seed
            ]
            if points:
                areas.append(hypervolume(np.array(points)))
        for row in rows:
            found = [entry for entry in entries if entry["row"] == row.key]
            if found:
                leak = np.mean([_curve_attack(entry, recipe) for entry in found])
                use = np.mean([entry["unseen"]["anonymized"]["value"] for entry in found])
                texts.append(f"{row.name}: {leak:.2f} / {use:.2f}")
        if texts:
            lines.append(f"| {curve} | {mean_and_half_width(areas)} | {'; '.join(texts)} |")
    return lines


def _curve_attack(entry: dict[str, Any], recipe: Recipe) -> float:
    """The best of the curve's attacks on anonymized clips, so that all points face the same attackers."""
    attacks = entry["secrets"][secret_key(recipe.secrets[0], TEMPORAL)]["attacks"]
    return max(attacks[name]["anonymized"]["value"] for name in recipe.curve_attacks)


def _point(entry: dict[str, Any], recipe: Recipe) -> tuple[float, float]:
    secret = entry["secrets"][secret_key(recipe.secrets[0], TEMPORAL)]
    raw = max(secret["attacks"][name]["raw"]["value"] for name in recipe.curve_attacks)
    unseen = entry["unseen"]
    scale = Normalisers(
        task_raw=unseen["raw"]["value"],
        task_chance=unseen["chance"],
        attack_raw=raw,
        attack_chance=secret["chance"],
    )
    return scale.point(unseen["anonymized"]["value"], _curve_attack(entry, recipe))
