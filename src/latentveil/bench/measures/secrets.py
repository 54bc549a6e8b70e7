"""Secrets one by one: what the best attack reaches, on people it has not seen (identity: on videos it has not seen)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from latentveil.attacks.base import Attack
from latentveil.auditing.answers import attack_secret
from latentveil.bench.counted import counted
from latentveil.bench.readings import Subject, describe_subject, subjects
from latentveil.bench.scores import Score
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, Halves, interval_over_groups
from latentveil.types import FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.recipe import Recipe


def secret_scores(
    recipe: Recipe, copies: Sequence[FeatureSet], raw: FeatureSet, labels: Labels, *, seed: int
) -> dict[str, Score]:
    """The score of every secret of the recipe in every kind of clip, by column."""
    return {
        describe_subject(subject): secret_score(
            copies, raw, labels, subject, attacks=recipe.attacks, seed=seed
        )
        for subject in subjects(recipe.secrets, recipe.kinds)
    }


def secret_score(
    copies: Sequence[FeatureSet],
    raw: FeatureSet,
    labels: Labels,
    subject: Subject,
    *,
    attacks: str | Sequence[str | Attack],
    seed: int,
) -> Score:
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
    interval = interval_over_groups(answers.statistic(best), answers.group, seed=seed, limits=SHARE)
    return Score.of(
        interval,
        "low",
        chance=answers.chance,
        by=best,
        **counted(labels, answers.video),
        halves=Halves.of(answers.statistic(best), answers.group),
    )
