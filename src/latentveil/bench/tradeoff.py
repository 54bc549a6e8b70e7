"""A trade-off as two numbers: the area that a curve dominates (NHV), and the papers' score of a point (Eq. 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from latentveil.bench.scores import Entries, Score, mean_and_half_width
from latentveil.metrics.hypervolume import Normalisers, hypervolume

if TYPE_CHECKING:
    from latentveil.bench.recipe import Recipe


def render_tradeoff(recipe: Recipe, found: Entries) -> list[str]:
    """The curves of a recipe: its first ``plot`` column for privacy, its last for utility; nothing without curves."""
    curves = list(dict.fromkeys(row.curve for row in recipe.rows if row.curve))
    if not curves or len(recipe.plot) < 2:
        return []
    privacy, utility = recipe.plot[0], recipe.plot[-1]
    lines = [
        "## Trade-off",
        "",
        f"{privacy} against {utility}. The area (normalised hypervolume, NHV) is that of the union of the points' "
        "rectangles, both axes between guessing (0) and raw features (1). Eq. 14 is (utility + 1 - privacy) / 2 of the "
        "scores as they are. Neither can be set beside the paper's 0.6833: its reference point and normalisers are not "
        "printed.",
        "",
        "| curve | area | points: Eq. 14 |",
        "|---|---|---|",
    ]
    for curve in curves:
        names = [row.name for row in recipe.rows if row.curve == curve]
        areas = [area for seed in found.seeds if (area := _area(recipe, found, names, seed)) is not None]
        points = [
            f"{name}: {mean_and_half_width(scores)}"
            for name in names
            if (scores := equation_14(found, name, privacy, utility))
        ]
        lines.append(f"| {curve} | {mean_and_half_width(areas) if areas else '–'} | {'; '.join(points)} |")
    return [*lines, "", *_normalisers_in_words(recipe, found, privacy, utility)]


def _normalisers_in_words(recipe: Recipe, found: Entries, privacy: str, utility: str) -> list[str]:
    """The levels that stand for 0 and 1 on both axes, seed by seed."""
    parts = []
    for seed in found.seeds:
        attack, task = (found.scores(recipe.raw, column).get(seed) for column in (privacy, utility))
        if attack and task:
            parts.append(
                f"seed {seed}: attack {attack.value:.3f} (guessing {attack.chance or 0:.3f}), "
                f"task {task.value:.3f} (guessing {task.chance or 0:.3f})"
            )
    return [f"Normalisers, raw features: {'; '.join(parts)}.", ""] if parts else []


def _area(recipe: Recipe, found: Entries, names: list[str], seed: int) -> float | None:
    """The area under one seed; None where raw features are not above guessing."""
    columns = recipe.plot[0], recipe.plot[-1]
    raw = [found.scores(recipe.raw, column).get(seed) for column in columns]
    points = [
        [found.scores(name, column)[seed] for column in columns]
        for name in names
        if all(seed in found.scores(name, column) for column in columns)
    ]
    if not raw[0] or not raw[1] or not points or not all(map(_is_above_guessing, raw)):
        return None
    scale = Normalisers(
        task_raw=raw[1].value,
        task_chance=raw[1].chance or 0.0,
        attack_raw=raw[0].value,
        attack_chance=raw[0].chance or 0.0,
    )
    return hypervolume(np.array([scale.point(task.value, attack.value) for attack, task in points]))


def _is_above_guessing(score: Score | None) -> bool:
    return score is not None and score.value > (score.chance or 0.0)


def equation_14(found: Entries, name: str, privacy: str, utility: str) -> list[float]:
    """(acc + (1 - priv)) / 2 of every seed."""
    attacks, tasks = found.scores(name, privacy), found.scores(name, utility)
    return [
        (tasks[seed].value + 1 - attacks[seed].value) / 2 for seed in sorted(attacks.keys() & tasks.keys())
    ]
