"""Faces: what attackers read from stills of strangers, behind adapters that only ever saw signers' videos.

As the paper does it: fitted on action videos without secrets, graded on pictures of other people (there VISPR, here
UTKFace, one picture per person, perceived attributes).
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.audit.answers import SecretAnswers, attack_secret
from latentveil.audit.leakage import compare_answers, share_removed
from latentveil.audit.measure import all_secrets
from latentveil.bench.adapters import ADAPTERS, fit_or_load
from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.bench.faces_data import Pictures, Say, compare_spaces, load_faces
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.runner import read_results
from latentveil.bench.seen_unseen import Arena
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, WeightedStatistic, bootstrap
from latentveil.types import STATIC, FeatureSet

SIGNERS = "real"  # the recipe whose rows are graded here
ATTACKS = ("boosted", "informed", "lda", "linear", "mlp", "neighbours", "paired")
WORST, LINEAR = "worst", "linear"
SPACE_FILE = "space.json"


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
        """Each secret as in audit.json, and the means over secrets under the linear and under the worst attack."""
        published = anonymize(adapter, self.features, seed=self.seed)
        redrawn = redraw(adapter, self.features, seed=self.seed)
        found = self.attack(published, redrawn=redrawn)
        secrets = {
            name: compare_answers(self.raw[name], found[name], seed=self.seed).to_dict() for name in found
        }
        pairs = [(self.raw[name], found[name]) for name in found]
        means = {
            LINEAR: mean_leakage(pairs, seed=self.seed, attack=LINEAR),
            WORST: mean_leakage(pairs, seed=self.seed),
        }
        return {"secrets": secrets, "mean": means}


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
    data: str | Path | None,
    out: Path,
    seeds: Sequence[int],
    quick: bool = False,
    say: Say = lambda _: None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Grade the full rows of ``recipe`` under every seed; give the entries, and remarks on data and space.

    ``out``/faces keeps features and results, line by line: what is done is not done again. The adapters are those of
    ``out``/real, fitted there where they are missing.
    """
    results = out / "faces" / ("quick.jsonl" if quick else "results.jsonl")
    attacks = recipe.curve_attacks if quick else ATTACKS
    wanted = [(row, seed) for seed in seeds for row in recipe.rows if row.full]
    signers, signer_labels = load_bench_data(data, cache=out / SIGNERS)
    pictures = load_faces(data, cache=out / "faces", say=say)
    kept = read_results(results)
    entries = [entry for entry in kept if any(_is_of(entry, row, seed) for row, seed in wanted)]
    _require_same_protocol(entries, attacks, pictures)
    space = PrincipalComponents.fit(signers, signer_labels, recipe.components or signers.dim)
    train = signers.of_videos(signer_labels.videos("train"))
    about = _spaces(pictures, space, signers=train, kept=out / "faces", say=say)
    about["remarks"] = pictures.remarks
    for seed in seeds:
        rows = [row for row, of in wanted if of == seed]
        missing = [row for row in rows if not any(_is_of(entry, row, seed) for entry in entries)]
        if not missing:
            continue
        arena = Arena.build(space.apply(signers), signer_labels, recipe, seed=seed)
        faces = Faces.build(space.apply(pictures.features), pictures.labels, seed=seed, attacks=attacks)
        for row in missing:
            entry = _grade_row(row, faces, arena, adapters=out / SIGNERS / ADAPTERS, say=say)
            with open(results, "a") as file:
                file.write(json.dumps(entry) + "\n")
            entries.append(entry)
    return entries, about


def _grade_row(row: Row, faces: Faces, arena: Arena, *, adapters: Path, say: Say) -> dict[str, Any]:
    """The entry of one row under the seed of ``arena``."""
    adapter = fit_or_load(arena, row, folder=adapters)
    started = time.process_time()
    made = {"row": row.key, "name": row.name, "seed": arena.seed}
    entry = made | {"settings": adapter.config["recipe"]["settings"]} | faces.grade(adapter)
    say(f"{_in_short(entry)}  {time.process_time() - started:.0f} CPU-s")
    return entry


def _spaces(
    pictures: Pictures, space: PrincipalComponents, *, signers: FeatureSet, kept: Path, say: Say
) -> dict[str, Any]:
    """What the signers' space costs the faces, measured once."""
    file = kept / SPACE_FILE
    if not file.exists():
        say("comparing spaces on validation pictures")
        file.write_text(json.dumps(compare_spaces(pictures, space, signers=signers)))
    return json.loads(file.read_text())


def _is_of(entry: dict[str, Any], row: Row, seed: int) -> bool:
    """Whether an entry is of this row and seed, with the settings the row has today (a preset may have changed)."""
    settings = row.config(seed=seed).model_dump(mode="json")
    same = all(settings.get(name) == value for name, value in entry["settings"].items())
    return entry["row"] == row.key and entry["seed"] == seed and same


def _require_same_protocol(
    entries: Sequence[dict[str, Any]], attacks: Sequence[str], pictures: Pictures
) -> None:
    """Refuse to go on from results of other attacks or pictures."""
    num_tested = int((pictures.labels.only(pictures.features.video).split == "test").sum())
    for entry in entries:
        for secret in entry["secrets"].values():
            if set(secret["attacks"]) != set(attacks) or secret["num_videos"] != num_tested:
                raise InputError(
                    f"results must be of {num_tested} test pictures and the attacks {', '.join(attacks)}, got row "
                    f"{entry['name']!r} of {secret['num_videos']} under {', '.join(secret['attacks'])}. "
                    "Move the old results away."
                )


def _in_short(entry: dict[str, Any]) -> str:
    """One line of progress."""
    means = entry["mean"]
    texts = [f"{name} {means[name]['anonymized']['value']:.3f}" for name in (LINEAR, WORST)]
    return f"seed {entry['seed']}  {entry['name']:<22} cMAP {'  '.join(texts)}"
