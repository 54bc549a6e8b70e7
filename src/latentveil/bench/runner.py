"""Run a recipe: every row under every seed, results kept line by line so that a stopped run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from latentveil.attacks import load_attacks
from latentveil.bench.adapters import ADAPTERS, fit_or_load, made_for, training_log
from latentveil.bench.convergence import describe_training
from latentveil.bench.keys import secret_key
from latentveil.bench.recipe import Recipe
from latentveil.bench.seen_unseen import Arena, measure_row, wanted_leakage
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.methods.settings import TrainedSettings
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
    """The measurements of every row and seed; ``results`` is a JSONL file, and what is in it is not done again.

    The adapters are kept in the folder `adapters` beside it.
    """
    results.parent.mkdir(parents=True, exist_ok=True)
    found = read_results(results)
    wanted = {row.key for row in recipe.all_rows}
    done = {(entry["row"], entry["seed"]) for entry in found}
    for seed in seeds:
        arena = Arena.build(features, labels, recipe, seed=seed)
        for entry in found:
            if entry["seed"] == seed and entry["row"] in wanted:
                _require_same_protocol(entry, arena, recipe)
        for row in recipe.all_rows:
            if (row.key, seed) in done:
                continue
            started = time.monotonic()
            adapter = fit_or_load(arena, row, folder=results.parent / ADAPTERS)
            entry = measure_row(arena, recipe, row, adapter) | {"made_for": made_for(arena, row)}
            log = training_log(results.parent / ADAPTERS, row, seed=seed)
            settings = row.config(seed=seed).settings
            if log and isinstance(settings, TrainedSettings):
                entry["training"] = describe_training(log, settings)
            with open(results, "a") as file:
                file.write(json.dumps(entry) + "\n")
            found.append(entry)
            say(f"seed {seed}  {row.name:<22} {_in_short(entry)}  {time.monotonic() - started:.0f} s")
    return [entry for entry in found if entry["row"] in wanted and entry["seed"] in set(seeds)]


def read_results(path: Path) -> list[dict[str, Any]]:
    """The entries of a results file; none if it is not there."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):  # a run was stopped while it wrote this line
        path.write_text("".join(lines[:-1]))
        lines = lines[:-1]
    return [json.loads(line) for line in lines]


def _require_same_protocol(entry: dict[str, Any], arena: Arena, recipe: Recipe) -> None:
    """Refuse to go on from results that were measured otherwise than ``recipe`` says."""
    row = next(row for row in recipe.all_rows if row.key == entry["row"])
    pairs, attacks = wanted_leakage(recipe, row)
    names = {attack.name for attack in load_attacks(attacks)}
    same = (
        entry.get("made_for") == made_for(arena, row)
        and set(entry["secrets"]) == {secret_key(*pair) for pair in pairs}
        and all(set(secret["attacks"]) == names for secret in entry["secrets"].values())
    )
    if not same:
        raise InputError(
            f"results must be of this recipe, got row {entry['name']!r} under other settings, features, secrets or "
            "attacks. Give another folder, or move the old results away."
        )


def _in_short(entry: dict[str, Any]) -> str:
    """The first secret and both utilities of an entry, for a line of progress."""
    secret, found = next(iter(entry["secrets"].items()))
    tasks = "  ".join(f"{name} {entry[name]['anonymized']['value']:.3f}" for name in ("seen", "unseen"))
    return f"{secret} {found['worst']['anonymized']['value']:.3f}  {tasks}"
