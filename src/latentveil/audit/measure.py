"""The audit: what every attack learns of every secret, and what every task still reaches, before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latentveil.audit.leakage import measure_leakage
from latentveil.audit.splits import attack_folds
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels, Segment
from latentveil.tasks.base import Task
from latentveil.tasks.build import available_tasks, build_tasks
from latentveil.threads import threads_for
from latentveil.types import KINDS, STATIC, ClipTiming, FeatureSet


@dataclass(frozen=True)
class AuditPlan:
    """What to measure. Empty ``secrets`` or ``tasks`` stand for all that the labels allow; ``tasks=None`` for none.

    ``timing`` is that of the store the features come from.
    ``floor`` is how often the attacks are repeated with nothing to learn, to know what they reach then; 0 for never.
    """

    secrets: Sequence[str] = ()
    kinds: Sequence[str] = KINDS
    attacks: str | Sequence[str] = "all"
    tasks: Sequence[str] | None = ()
    segments: dict[str, list[Segment]] | None = field(default=None, repr=False)
    timing: ClipTiming | None = None
    seed: int = 0
    floor: int = 0

    def __post_init__(self) -> None:
        if self.floor < 0:
            raise InputError(f"floor must be 0 or more repeats, got {self.floor}.")


def audit_features(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    plan: AuditPlan,
    *,
    redrawn: Sequence[FeatureSet] = (),
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """The parts "secrets", "tasks" and "summary" of an audit.json.

    ``anonymized`` must hold the same clips as ``raw``; ``redrawn`` are copies of it with other noise, for the attack
    that holds the adapter. ``report`` is told what is measured next.
    """
    labels = labels.only(raw.video)
    attacked = plan.secrets or all_secrets(labels)
    for secret in attacked:  # what is wrong with the labels is found before hours of attacks, not after
        attack_folds(labels, secret, seed=plan.seed)
    tasks = {}
    names = () if plan.tasks is None else (plan.tasks or available_tasks(labels, plan.segments))
    built = [
        build_tasks(names, features, labels, segments=plan.segments, timing=plan.timing)
        for features in (raw, anonymized)
    ]
    for name in names:
        report(f"{name}")
        with threads_for(raw.feature.size):
            tasks[name] = measure_utility(built[0][name], built[1][name], seed=plan.seed)
    secrets = {}
    for secret in attacked:
        for kind in plan.kinds:
            if (raw.kind == kind).any():
                report(f"{secret}, {kind} clips")
                leakage = measure_leakage(
                    raw,
                    anonymized,
                    labels,
                    secret,
                    kind=kind,
                    attacks=plan.attacks,
                    seed=plan.seed,
                    redrawn=redrawn,
                    floor=plan.floor,
                )
                secrets[secret_key(secret, kind)] = leakage.to_dict()
    return {"secrets": secrets, "tasks": tasks, "summary": summarise(secrets, tasks)}


def all_secrets(labels: Labels) -> list[str]:
    """Every secret of the labels, and identity where people are known; ones that do not vary are left out."""
    names = labels.secrets + ([IDENTITY] if labels.person is not None else [])
    varying = [name for name in names if len(set(labels.column(name)) - {""}) > 1]
    if not varying:
        raise InputError("labels must have a column secret_… or person with two values or more, got none.")
    return varying


def secret_key(secret: str, kind: str) -> str:
    """The secret's name in audit.json: its own for temporal clips, with ``_static`` for stills."""
    return f"{secret}_static" if kind == STATIC else secret


def measure_utility(raw: Task, anonymized: Task, *, seed: int) -> dict[str, Any]:
    """A task's test score with fresh heads on raw and on anonymized features, and the share that is kept.

    ``kept`` is None where raw features are not better than chance by more than their interval: nothing to keep.
    """
    scores = [task.score(task.fit_head(seed=seed), "test", seed=seed) for task in (raw, anonymized)]
    before, after = (score.interval for score in scores)
    useful = before.value > raw.chance and not before.low <= raw.chance
    return {
        "metric": scores[0].metric,
        "chance": raw.chance,
        "raw": before.to_dict() | {"details": scores[0].details},
        "anonymized": after.to_dict() | {"details": scores[1].details},
        "kept": after.value / before.value if useful else None,
    }


def summarise(secrets: dict[str, Any], tasks: dict[str, Any]) -> dict[str, float | None]:
    """Means over secrets and tasks, and ``nhv``: the area of the one point (utility, privacy), each above chance.

    Where floors were measured, also the mean of what is removed above them.
    """
    removed, over_floor = (
        [secret[name] for secret in secrets.values() if secret.get(name) is not None]
        for name in ("leakage_removed", "leakage_removed_over_floor")
    )
    kept = [task["kept"] for task in tasks.values() if task["kept"] is not None]
    above = [
        np.clip(
            (task["anonymized"]["value"] - task["chance"]) / (task["raw"]["value"] - task["chance"]), 0, 1
        )
        for task in tasks.values()
        if task["raw"]["value"] > task["chance"]
    ]
    privacy = float(np.mean(removed)) if removed else None
    area = None if privacy is None or not above else float(np.clip(privacy, 0, 1) * np.mean(above))
    return {
        "leakage_removed": privacy,
        "utility_kept": float(np.mean(kept)) if kept else None,
        "nhv": area,
        **({"leakage_removed_over_floor": float(np.mean(over_floor))} if over_floor else {}),
    }
