"""Run a recipe: every row under every seed, results kept line by line so that a stopped run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from latentveil.bench.recipe import Recipe
from latentveil.bench.seen_unseen import Arena, measure_row
from latentveil.datasets.labels import Labels
from latentveil.types import FeatureSet


def run_recipe(
    recipe: Recipe,
    features: FeatureSet,
    labels: Labels,
    *,
    seeds: Sequence[int],
    results: Path,
    say: Callable[[str], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """The measurements of every row and seed; ``results`` is a JSONL file, and what is in it is not done again."""
    results.parent.mkdir(parents=True, exist_ok=True)
    found = read_results(results)
    done = {(entry["row"], entry["seed"]) for entry in found}
    for seed in seeds:
        arena = Arena.build(features, labels, recipe, seed=seed)
        for row in recipe.rows:
            if (row.key, seed) in done:
                continue
            started = time.monotonic()
            entry = measure_row(arena, recipe, row)
            with open(results, "a") as file:
                file.write(json.dumps(entry) + "\n")
            found.append(entry)
            say(f"seed {seed}  {row.name:<22} {_in_short(entry)}  {time.monotonic() - started:.0f} s")
    wanted = {row.key for row in recipe.rows}
    return [entry for entry in found if entry["row"] in wanted and entry["seed"] in set(seeds)]


def read_results(path: Path) -> list[dict[str, Any]]:
    """The entries of a results file; none if it is not there."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _in_short(entry: dict[str, Any]) -> str:
    """The first secret and both utilities of an entry, for a line of progress."""
    secret, found = next(iter(entry["secrets"].items()))
    tasks = "  ".join(f"{name} {entry[name]['anonymized']['value']:.3f}" for name in ("seen", "unseen"))
    return f"{secret} {found['worst']['anonymized']['value']:.3f}  {tasks}"
