"""Faces: what attackers read from stills of strangers, behind adapters that only ever saw signers' videos.

As the paper does it: fitted on action videos without secrets, graded on pictures of other people (there VISPR, here
UTKFace, one picture per person, perceived attributes).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.faces.pictures import Pictures, compare_spaces, load_faces
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers, share_removed
from latentveil.auditing.measure import all_secrets
from latentveil.bench.adapters import ADAPTERS, fit_or_load
from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.readings import READINGS, Entry
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.runner import read_results
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, WeightedStatistic, bootstrap
from latentveil.progress import OnProgress, Progress, silent
from latentveil.types import STATIC, FeatureSet

SIGNERS = "real"  # the recipe whose rows are graded here
ATTACKS = ("boosted", "informed", "lda", "linear", "mlp", "neighbours", "paired")
WORST, LINEAR = "worst", "linear"
SPACE_FILE = "space.json"
STAGE = "rows on faces"


@dataclass(frozen=True, eq=False)
class Faces:
    """Raw features of the pictures, their labels, the seed of attacks and noise, and what attacks learn from raw."""

    features: FeatureSet
    labels: Labels
    seed: int
    attacks: tuple[str, ...]
    raw: dict[str, SecretAnswers]

    @classmethod
    def build(cls, features: FeatureSet, labels: Labels, *, seed: int, attacks: tuple[str, ...]) -> Faces:
        faces = cls(features, labels, seed, attacks, {})
        return replace(faces, raw=faces.attack(features))

    def attack(
        self, published: FeatureSet, *, redrawn: Sequence[FeatureSet] = ()
    ) -> dict[str, SecretAnswers]:
        """What every attack answers about every secret of the labels, from the ``published`` features."""
        return {
            secret: attack_secret(
                published,
                self.features,
                self.labels,
                secret,
                kind=STATIC,
                attacks=self.attacks,
                seed=self.seed,
                redrawn=redrawn,
            )
            for secret in all_secrets(self.labels)
        }

    def grade(self, adapter: Adapter) -> dict[str, Any]:
        """A reading of each secret, and the means over secrets under the linear and under the worst attack."""
        published = anonymize(adapter, self.features, seed=self.seed)
        redrawn = redraw(adapter, self.features, seed=self.seed)
        found = self.attack(published, redrawn=redrawn)
        readings = [
            {"secret": name, **compare_answers(self.raw[name], found[name], seed=self.seed).to_dict()}
            for name in found
        ]
        pairs = [(self.raw[name], found[name]) for name in found]
        means = {
            LINEAR: mean_leakage(pairs, seed=self.seed, attack=LINEAR),
            WORST: mean_leakage(pairs, seed=self.seed),
        }
        return {READINGS: readings, "mean": means}


def mean_leakage(
    pairs: Sequence[tuple[SecretAnswers, SecretAnswers]], *, seed: int, attack: str | None = None
) -> dict[str, Any]:
    """The mean over secrets (cMAP) on raw and anonymized features, of one attack or of the best for each secret.

    ``pairs`` are the answers on raw and on anonymized features, of the same pictures for every secret.
    """
    raw = mean_statistic([before.statistic(attack or before.best_attack) for before, _ in pairs])
    anonymized = mean_statistic([after.statistic(attack or after.best_attack) for _, after in pairs])
    chance = mean_statistic([before.chance_statistic for before, _ in pairs])
    groups = pairs[0][0].group
    removed = share_removed(raw, anonymized, chance, groups=groups, seed=seed)
    return {
        "chance": float(np.mean([before.chance for before, _ in pairs])),
        "raw": bootstrap(raw, groups, seed=seed, limits=SHARE).to_dict(),
        "anonymized": bootstrap(anonymized, groups, seed=seed, limits=SHARE).to_dict(),
        "leakage_removed": removed.to_dict() if removed else None,
    }


def mean_statistic(statistics: Sequence[WeightedStatistic]) -> WeightedStatistic:
    """The mean of several statistics of the same items."""
    return lambda weights: np.mean([statistic(weights) for statistic in statistics], axis=0)


def run_faces(
    recipe: Recipe,
    *,
    signers: Path,
    pictures: Path,
    output: Path,
    seeds: Sequence[int],
    quick: bool = False,
    on_progress: OnProgress = silent,
) -> tuple[list[Entry], dict[str, Any]]:
    """Grade the full rows of ``recipe`` under every seed; give the entries, and remarks on data and space.

    ``signers`` is the folder of the bench, ``pictures`` that of the research data. ``output``/faces keeps features and
    results, line by line: what is done is not done again. The adapters are those of ``output``/real, fitted there where
    they are missing.
    """
    kept = output / "faces"
    results = kept / ("quick.jsonl" if quick else "results.jsonl")
    attacks = recipe.curve_attacks if quick else ATTACKS
    features, labels = load_bench_data(signers)
    found = load_faces(pictures, cache=kept, on_progress=on_progress)
    rows = [(row, seed) for seed in seeds for row in recipe.rows if row.full]
    known = read_results(results)
    entries = [entry for entry in known if any(_is_of(entry, row, seed) for row, seed in rows)]
    _require_same_protocol(entries, attacks, found)
    space = PrincipalComponents.fit(features, labels, recipe.components or features.dim)
    about = _spaces(found, space, signers=features.of_videos(labels.videos("train")), kept=kept)
    about["remarks"] = found.remarks
    missing = [(row, seed) for row, seed in rows if not any(_is_of(entry, row, seed) for entry in entries)]
    done = len(rows) - len(missing)
    arena: Arena | None = None
    for row, seed in missing:
        if arena is None or arena.seed != seed:
            arena = Arena.build(space.apply(features), labels, recipe, seed=seed)
            faces = Faces.build(space.apply(found.features), found.labels, seed=seed, attacks=attacks)
        entry = _grade_row(row, faces, arena, adapters=output / SIGNERS / ADAPTERS)
        with open(results, "a") as file:
            file.write(json.dumps(entry) + "\n")
        entries.append(entry)
        done += 1
        on_progress(Progress(STAGE, done, len(rows), _in_short(entry)))
    return entries, about


def _grade_row(row: Row, faces: Faces, arena: Arena, *, adapters: Path) -> Entry:
    """The entry of one row under the seed of ``arena``."""
    adapter = fit_or_load(arena, row, folder=adapters)
    made = {"row": row.key, "name": row.name, "seed": arena.seed}
    return made | {"settings": adapter.config["recipe"]["settings"]} | faces.grade(adapter)


def _spaces(
    pictures: Pictures, space: PrincipalComponents, *, signers: FeatureSet, kept: Path
) -> dict[str, Any]:
    """What the signers' space costs the faces, measured once."""
    file = kept / SPACE_FILE
    if not file.exists():
        file.write_text(json.dumps(compare_spaces(pictures, space, signers=signers)))
    return json.loads(file.read_text())


def _is_of(entry: Entry, row: Row, seed: int) -> bool:
    """Whether an entry is of this row and seed, with the settings the row has today (a preset may have changed)."""
    settings = row.config(seed=seed).settings.model_dump(mode="json")
    same = all(settings.get(name) == value for name, value in entry["settings"].items())
    return entry["row"] == row.key and entry["seed"] == seed and same


def _require_same_protocol(entries: Sequence[Entry], attacks: Sequence[str], pictures: Pictures) -> None:
    """Refuse to go on from results of other attacks or pictures."""
    num_tested = int((pictures.labels.only(pictures.features.video).split == "test").sum())
    for entry in entries:
        for reading in entry[READINGS]:
            if set(reading["attacks"]) != set(attacks) or reading["num_videos"] != num_tested:
                raise InputError(
                    f"results must be of {num_tested} test pictures and the attacks {', '.join(attacks)}, got row "
                    f"{entry['name']!r} of {reading['num_videos']} under {', '.join(reading['attacks'])}. "
                    "Move the old results away."
                )


def _in_short(entry: Entry) -> str:
    """One line of progress."""
    means = entry["mean"]
    texts = [f"{name} {means[name]['anonymized']['value']:.3f}" for name in (LINEAR, WORST)]
    return f"seed {entry['seed']}  {entry['name']:<22} cMAP {'  '.join(texts)}"
