"""The protocol of the bench: some actions are seen by the adapter, the others measure what it was never shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers
from latentveil.auditing.measure import measure_utility
from latentveil.bench.keys import secret_key
from latentveil.bench.recipe import Recipe, Row
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.methods.material import build_training_data
from latentveil.tasks.action import ActionTask
from latentveil.tasks.build import MOTION
from latentveil.types import TEMPORAL, FeatureSet


@dataclass(frozen=True)
class Arena:
    """A data set under one seed: which of its actions are seen, and what attacks learn from its raw features."""

    features: FeatureSet
    labels: Labels
    seed: int
    seen: tuple[str, ...]
    raw_answers: dict[str, SecretAnswers]

    @classmethod
    def build(cls, features: FeatureSet, labels: Labels, recipe: Recipe, *, seed: int) -> Arena:
        """Draw the seen actions from ``seed``."""
        actions = sorted(set(labels.column("action").tolist()))
        if len(actions) < recipe.num_seen + 2:
            raise InputError(f"labels must hold at least {recipe.num_seen + 2} actions, got {len(actions)}.")
        seen = np.random.default_rng(seed).choice(actions, recipe.num_seen, replace=False)
        return cls(features, labels, seed, tuple(sorted(seen.tolist())), {})

    def labels_of(self, *, seen: bool) -> Labels:
        """The labels of the videos with a seen (or an unseen) action."""
        chosen = np.isin(self.labels.column("action"), self.seen) == seen
        return self.labels.only(self.labels.video[chosen])

    def fit(self, row: Row, *, folder: Path | None = None) -> Adapter:
        """The row's adapter, fitted on training videos of seen actions; ``folder`` keeps log and checkpoint."""
        plan = row.config(seed=self.seed)
        tasks = ("action", *((MOTION,) if row.motion else ()))
        data = build_training_data(self.features, self.labels_of(seen=True), plan, tasks=tasks)
        return plan.fit(data, folder=folder)

    def raw(self, secret: str, kind: str, attacks: str | tuple[str, ...]) -> SecretAnswers:
        """What attacks learn from raw features, computed once for all rows."""
        key = f"{secret_key(secret, kind)} {attacks}"
        if key not in self.raw_answers:
            self.raw_answers[key] = attack_secret(
                self.features, self.features, self.labels, secret, kind=kind, attacks=attacks, seed=self.seed
            )
        return self.raw_answers[key]

    def leakage(
        self, copies: Sequence[FeatureSet], secret: str, *, kind: str, attacks: str | tuple[str, ...]
    ) -> dict[str, Any]:
        """The entry of one secret, as in audit.json; ``copies`` are the published features, then redrawn ones."""
        safe, *redrawn = copies
        raw = self.raw(secret, kind, attacks)
        found = attack_secret(
            safe,
            self.features,
            self.labels,
            secret,
            kind=kind,
            attacks=attacks,
            seed=self.seed,
            redrawn=redrawn,
        )
        return compare_answers(raw, found, seed=self.seed).to_dict()

    def utility(self, safe: FeatureSet, *, seen: bool) -> dict[str, Any]:
        """The entry of the task "action" over seen or unseen actions, as in audit.json."""
        labels = self.labels_of(seen=seen)
        tasks = [ActionTask(features, labels) for features in (self.features, safe)]
        return measure_utility(*tasks, seed=self.seed).to_dict()


def wanted_leakage(recipe: Recipe, row: Row) -> tuple[list[tuple[str, str]], str | tuple[str, ...]]:
    """The pairs (secret, kind) that a row is graded on, and the attacks that grade it."""
    if row.full or row.part_of:
        secrets = recipe.secrets if row.full else recipe.secrets[:1]
        return [(secret, kind) for secret in secrets for kind in recipe.kinds], recipe.attacks
    return [(recipe.secrets[0], TEMPORAL)], recipe.curve_attacks


def measure_row(arena: Arena, recipe: Recipe, row: Row, adapter: Adapter) -> dict[str, Any]:
    """Everything the bench wants to know of one row's adapter under one seed."""
    safe = anonymize(adapter, arena.features, seed=arena.seed)
    copies = [safe, *redraw(adapter, arena.features, seed=arena.seed)]
    pairs, attacks = wanted_leakage(recipe, row)
    return {
        "row": row.key,
        "name": row.name,
        "seed": arena.seed,
        "seen_actions": list(arena.seen),
        "secrets": {
            secret_key(secret, kind): arena.leakage(copies, secret, kind=kind, attacks=attacks)
            for secret, kind in pairs
        },
        "seen": arena.utility(safe, seen=True),
        "unseen": arena.utility(safe, seen=False),
    }
