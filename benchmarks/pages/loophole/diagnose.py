"""What the trained adapters of a bench do to features, and which graders are blinded by it."""

from __future__ import annotations

import argparse
import hashlib
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from latentveil.adapters.adapter import WEIGHTS_FILE, Adapter, load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.attacks.base import video_means
from latentveil.attacks.network import NetworkTrainer, network_outputs
from latentveil.attacks.preprocess import Transform, fit_preprocessing
from latentveil.auditing.splits import Fold, attack_folds
from latentveil.bench.adapters import ADAPTERS, kept_adapters
from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Recipe, Row, load_recipe
from latentveil.bench.runner import read_results
from latentveil.labels import Labels
from latentveil.losses.budget import nt_xent, uniform_level
from latentveil.methods.splavu import BudgetLoss, SplavuSettings
from latentveil.types import STATIC, TEMPORAL, FeatureSet

UNTOUCHED, STANDARDISED = "untouched", "standardise"


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """What a page is made from."""
    parser.add_argument("run", type=Path, help="folder with results.jsonl and adapters")
    parser.add_argument("--data", type=Path, required=True, help="folder that the bench ran on")


def read_run(
    name: str, run: Path, *, data: Path
) -> tuple[Recipe, list[dict[str, Any]], list[dict[str, Any]]]:
    """The recipe called ``name``, the results of its rows in the folder ``run``, and the diagnosis of its adapters.

    ``data`` is the folder that the bench ran on.
    """
    recipe = load_recipe(name)
    keys = {row.key for row in recipe.all_rows}
    entries = [entry for entry in read_results(run / "results.jsonl") if entry["row"] in keys]
    return recipe, entries, diagnose(run, recipe, data=data)


def diagnose(run: Path, recipe: Recipe, *, data: Path) -> list[dict[str, Any]]:
    """One entry per kept adapter of a full row or checkpoint; kept in `diagnosis.jsonl` by the adapter's weights."""
    path = run / "diagnosis.jsonl"
    known = {(entry["row"], entry["seed"], entry["weights"]): entry for entry in read_results(path)}
    rows = {row.name: row for row in recipe.all_rows if row.full or row.part_of}
    found, loaded = [], None
    for kept in kept_adapters(run / ADAPTERS):
        if kept.row not in rows:
            continue
        weights = hashlib.sha256((kept.path / WEIGHTS_FILE).read_bytes()).hexdigest()
        key = (rows[kept.row].key, kept.seed, weights)
        if key not in known:
            loaded = loaded or load_reduced(data, recipe)
            arena = Arena.build(*loaded, recipe, seed=kept.seed)
            known[key] = {"weights": weights, **examine(arena, rows[kept.row], load_adapter(kept.path))}
            with open(path, "a") as file:
                file.write(json.dumps(known[key]) + "\n")
        found.append(known[key])
    return found


def load_reduced(data: Path, recipe: Recipe) -> tuple[FeatureSet, Labels]:
    """The features that the recipe works on, and their labels."""
    features, labels = load_bench_data(data)
    if recipe.components:
        features = PrincipalComponents.fit(features, labels, recipe.components).apply(features)
    return features, labels


def examine(arena: Arena, row: Row, adapter: Adapter) -> dict[str, Any]:
    """What one adapter does to the features, and what fixed graders see behind it."""
    safe = anonymize(adapter, arena.features, seed=arena.seed)
    return {
        "row": row.key,
        "name": row.name,
        "seed": arena.seed,
        "geometry": describe_geometry(arena, safe, row),
        "mlp": {kind: fixed_graders(arena, safe, kind) for kind in (STATIC, TEMPORAL)},
    }


def describe_geometry(arena: Arena, safe: FeatureSet, row: Row) -> dict[str, float]:
    """How far features move, in units of the raw spread, and the budget on training videos and on others."""
    raw = arena.features
    train = arena.labels_of(seen=True).videos("train")
    test = arena.labels.videos("test")
    stills = safe.of_kind(STATIC).feature
    spread = np.sqrt(raw.of_kind(STATIC).feature.var(axis=0).sum())
    settings = row.config(seed=arena.seed).settings
    loss = settings.loss if isinstance(settings, SplavuSettings) else BudgetLoss()
    return {
        "offset": float(np.linalg.norm(stills.mean(axis=0)) / spread),
        "rank_raw": effective_rank(raw.of_kind(STATIC).feature),
        "rank": effective_rank(stills),
        "moved_train": movement(raw, safe, train),
        "moved_test": movement(raw, safe, test),
        "budget_train": still_budget(safe, train, temperature=loss.temperature),
        "budget_test": still_budget(safe, test, temperature=loss.temperature),
        "budget_test_raw": still_budget(raw, test, temperature=loss.temperature),
        "uniform": uniform_level(len(test)),
    }


def effective_rank(feature: np.ndarray) -> float:
    """In how many directions the rows (N, D) vary: (sum of variances)² / sum of squared variances."""
    variances = np.clip(np.linalg.eigvalsh(np.cov(feature.T)), 0, None)
    return float(variances.sum() ** 2 / np.square(variances).sum())


def movement(raw: FeatureSet, safe: FeatureSet, videos: list[str]) -> float:
    """Mean squared distance between a clip's raw and anonymized feature, over the clips' variance."""
    before, after = (features.of_kind(TEMPORAL).of_videos(videos).feature for features in (raw, safe))
    return float(np.square(after - before).sum(axis=1).mean() / before.var(axis=0).sum())


def still_budget(features: FeatureSet, videos: list[str], *, temperature: float) -> float:
    """L_B between two stills of each video, the mean over all pairs of places."""
    stills = features.of_kind(STATIC).of_videos(videos)
    views = [torch.from_numpy(stills.feature[stills.video == video]) for video in videos]  # each (K, D)
    shared = min(len(view) for view in views)
    places = torch.stack([view[:shared] for view in views], dim=1)  # (K, N, D)
    values = [nt_xent(first, second, temperature=temperature) for first, second in combinations(places, 2)]
    return float(torch.stack(values).mean())


def fixed_graders(arena: Arena, safe: FeatureSet, kind: str) -> dict[str, float]:
    """Accuracy on identity of MLPs that are not allowed to choose their preprocessing."""
    (fold,) = attack_folds(arena.labels, "identity", seed=arena.seed)
    features = safe.of_kind(kind)
    train = features.of_videos(list(fold.train)).feature
    transforms: dict[str, Transform] = {
        UNTOUCHED: lambda feature: feature,
        STANDARDISED: fit_preprocessing(STANDARDISED, train),
    }
    return {name: grade(arena, features, fold, transform=transform) for name, transform in transforms.items()}


def grade(arena: Arena, features: FeatureSet, fold: Fold, *, transform: Transform) -> float:
    """Top-1 accuracy over the fold's test videos of an MLP trained on the others."""
    people = sorted(set(arena.labels.column("identity").tolist()))

    def part(videos: tuple[str, ...]) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
        chosen = features.of_videos(list(videos))
        target = [people.index(person) for person in arena.labels.lookup("identity", chosen.video)]
        return torch.from_numpy(transform(chosen.feature)), torch.tensor(target), chosen.video

    train, validation, test = (part(videos) for videos in (fold.train, fold.validation, fold.test))
    trainer = NetworkTrainer(nn.functional.cross_entropy, len(people), arena.seed)
    network, _ = trainer.fit(train[:2], validation[:2])
    answers = torch.from_numpy(network_outputs(network, test[0].numpy())).softmax(dim=1).numpy()
    videos, per_video = video_means(answers, test[2])
    truth = [people.index(person) for person in arena.labels.lookup("identity", videos)]
    return float((per_video.argmax(axis=1) == truth).mean())
