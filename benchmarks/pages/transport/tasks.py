"""Tasks in time: detection, anomalies and falls behind `transport`, with scene and clothes as the secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.pages.transport.rows import BY_CLOTHES_TOO, BY_SCENE, BY_STILLS, NOISE, RAW, SafeRow
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.auditing.answers import attack_secret
from latentveil.bench.data import BenchData
from latentveil.machine.threads import threads_for
from latentveil.methods.base import TrainingData
from latentveil.methods.plan import load_config
from latentveil.tasks.build import available_tasks, build_tasks
from latentveil.types import TEMPORAL, FeatureSet

SECRETS = ("scene", "upper")  # where it is, and the clothes of the upper body
ATTACKS = ("lda", "linear")
TURNS, IN_TURN = 4, ", all people in turn"
TASK_ROWS = (
    SafeRow(RAW, ("method=identity",)),
    SafeRow(NOISE, ("method=noise", "erasure.noise=1e6")),
    SafeRow("transport by person", groups="person"),
    SafeRow(BY_SCENE, groups="recording"),
    SafeRow(BY_CLOTHES_TOO, groups="recording,clothes"),
    SafeRow(
        "by scene, components by variance (control)", ("transport.by_variance=true",), groups="recording"
    ),
    SafeRow(BY_STILLS, groups="stills"),
)


def with_scenes(data: BenchData) -> BenchData:
    """The same with the scene of a video as its recording and a column `clothes`, where scenes are known."""
    labels = data.labels
    if "scene" not in labels.secrets:
        return data
    columns = {**labels.columns, "clothes": labels.column("upper")}
    return replace(data, labels=replace(labels, recording=labels.column("scene"), columns=columns))


def fit_row(row: SafeRow, data: BenchData, *, seed: int) -> Adapter:
    """The adapter of a row; plain methods are fitted on training videos, and no task is named."""
    if row.groups:
        return row.transport(data.features, data.labels, seed=seed)
    plan = load_config(changes=[*row.changes, f"train.seed={seed}"])
    return plan.fit(TrainingData(features=data.features.of_videos(data.labels.videos("train"))))


def grade_tasks(row: SafeRow, data: BenchData, *, tasks: Sequence[str] = (), seed: int) -> dict[str, Any]:
    """Fresh heads for every task that the data have, and what attackers read of scene and clothes."""
    adapter = fit_row(row, data, seed=seed)
    safe = anonymize(adapter, data.features, seed=seed)
    names = tasks or available_tasks(data.labels, data.segments)
    built = build_tasks(names, safe, data.labels, segments=data.segments, timing=data.timing)
    scores: dict[str, Any] = {}
    for name, task in built.items():
        with threads_for(safe.feature.size):
            found = task.score(task.fit_head(seed=seed), "test", seed=seed).interval
        scores[name] = {"value": found.value, "low": found.low, "high": found.high, "chance": task.chance}
    for secret in SECRETS:
        if secret in data.labels.secrets:
            scores[secret] = _attack(safe, data, secret, seed=seed)
    return scores


def grade_in_turn(row: SafeRow, data: BenchData, *, seed: int) -> dict[str, Any]:
    """Action and secrets, the mean over quarters of the people, each of which is the test in its turn.

    The set's own test videos of actions are few; so every video is one once.
    """
    found = [grade_tasks(row, turn, tasks=("action",), seed=seed) for turn in _turns(data, seed=seed)]
    ends = ("value", "low", "high", "chance")
    return {
        name + IN_TURN: {
            end: float(np.mean([scores[name][end] for scores in found])) for end in ends if end in known
        }
        for name, known in found[0].items()
    }


def _turns(data: BenchData, *, seed: int) -> Iterator[BenchData]:
    """The data with one quarter of the people for the test, and a fifth of the others to validate on."""
    people = np.random.default_rng(seed).permutation(np.unique(data.labels.column("person")))
    number = {person: place for place, person in enumerate(people.tolist())}
    place = np.array([number[person] for person in data.labels.column("person").tolist()])  # (V,)
    for turn in range(TURNS):
        split = np.where(place % TURNS == turn, "test", np.where(place // TURNS % 5 == 0, "val", "train"))
        yield replace(data, labels=replace(data.labels, split=split))


def _attack(safe: FeatureSet, data: BenchData, secret: str, *, seed: int) -> dict[str, Any]:
    found = attack_secret(safe, data.features, data.labels, secret, kind=TEMPORAL, attacks=ATTACKS, seed=seed)
    return {"value": found.value(found.best_attack), "chance": found.chance, "attack": found.best_attack}
