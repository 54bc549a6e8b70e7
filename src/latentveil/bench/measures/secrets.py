"""Secrets one by one: what the best attack reaches, on people it has not seen (identity: on videos it has not seen)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.attacks.base import Attack
from latentveil.auditing.answers import attack_secret
from latentveil.bench.protocols.base import counted
from latentveil.bench.readings import Subject, describe_subject
from latentveil.bench.scores import Score
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, Halves, bootstrap
from latentveil.types import FeatureSet


def secret_score(
    copies: Sequence[FeatureSet],
    raw: FeatureSet,
    labels: Labels,
    subject: Subject,
    *,
    attacks: str | Sequence[str | Attack],
    seed: int,
) -> dict[str, Score]:
    """The best attack on a secret in a kind of clip; ``copies`` are the published features, then redrawn ones."""
    secret, kind = subject
    chosen = np.isin(raw.video, labels.video)
    safe, *redrawn = (copy.select(chosen) for copy in copies)
    answers = attack_secret(
        safe,
        raw.select(chosen),
        labels,
        secret,
        kind=kind,
        attacks=attacks,
        seed=seed,
        redrawn=redrawn,
    )
    best = answers.best_attack
    interval = bootstrap(answers.statistic(best), answers.group, seed=seed, limits=SHARE)
    return {
        describe_subject(subject): Score.of(
            interval,
            "low",
            chance=answers.chance,
            by=best,
            **counted(labels, answers.video),
            halves=Halves.of(answers.statistic(best), answers.group),
        )
    }
