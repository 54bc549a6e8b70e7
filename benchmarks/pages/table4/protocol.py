"""The protocol of the paper's Table 4: adapters fitted for each subset of tasks, and what every task keeps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.auditing.answers import attack_secret
from latentveil.bench.protocols import tasks as bench_tasks
from latentveil.bench.readings import READINGS, Reading, subjects
from latentveil.bench.rows import Row
from latentveil.labels import Labels, Segment
from latentveil.tasks.build import MOTION
from latentveil.types import KINDS, TEMPORAL, ClipTiming, FeatureSet

RAW = "raw"
INFORMED = "informed"  # the attack that reads features with redrawn noise
DEVELOPMENT_SHARE = 0.2


@dataclass(frozen=True)
class SubsetRow:
    """One adapter of the table: a preset with changes, fitted for some tasks; the preset ``raw`` is no adapter.

    With ``motion``, the adapter also keeps what moves, for the other tasks. Rows of one ``name`` (the preset's, unless
    given) differ in their tasks alone.
    """

    preset: str
    tasks: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    name: str = ""
    motion: bool = False

    @property
    def key(self) -> str:
        """What tells this row from others."""
        named = (*self.tasks, *([MOTION] if self.motion else []))
        return " ".join((self.preset, "+".join(named) or "none", *self.changes))


@dataclass(frozen=True)
class Grading:
    """What every row is measured on: so many heads of each task, and attacks on secrets, in clips and in stills.

    A linear head of actions comes out the same for every seed; heads for anomalies differ most. Of a video at most
    ``attack_clips`` evenly spaced clips are attacked (0: all), since attacks average over clips.
    """

    heads: Mapping[str, int] = field(default_factory=lambda: {"action": 1, "detection": 3, "anomaly": 6})
    secrets: tuple[str, ...] = ("gender",)
    kinds: tuple[str, ...] = KINDS
    attacks: tuple[str, ...] = ("linear", "lda", "mlp", "neighbours")
    attack_clips: int = 4


@dataclass(frozen=True, eq=False)
class TaskArena:
    """Videos of several tasks, with the labels and segments that say what is to be found in them."""

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]]
    tasks: tuple[str, ...]
    timing: ClipTiming = field(default_factory=ClipTiming)
    seed: int = 0

    def fit(self, row: SubsetRow) -> Adapter | None:
        """The row's adapter, fitted on training videos and heads chosen on validation videos; None for raw features."""
        if row.preset == RAW:
            return None
        named = Row(name=row.key, preset=row.preset, changes=row.changes, motion=row.motion, tasks=row.tasks)
        return self.of_bench.fit(named)

    @property
    def of_bench(self) -> bench_tasks.TaskArena:
        """The arena of `veil bench table4`, which fits adapters and builds tasks here, too."""
        options = bench_tasks.TaskOptions(tasks=self.tasks)
        return bench_tasks.TaskArena(
            self.features, self.labels, self.seed, options, self.segments, self.timing
        )

    def scores(self, features: FeatureSet, num_heads: Mapping[str, int]) -> dict[str, Any]:
        """What fresh heads reach on the test videos, one value for each seed, and the interval of the first."""
        found: dict[str, Any] = {}
        for name, task in self.of_bench.tasks_on(features).items():
            started = time.monotonic()
            heads = [
                task.score(task.fit_head(seed=seed), "test", seed=seed) for seed in range(num_heads[name])
            ]
            found[name] = {
                "metric": task.metric,
                "chance": task.chance,
                "values": [head.interval.value for head in heads],
                "interval": heads[0].interval.to_dict(),
                "seconds": round(time.monotonic() - started, 1),
            }
        return found

    def readings(self, copies: Sequence[FeatureSet], grading: Grading) -> list[Reading]:
        """What each attack learns of each secret from the published features ``copies[0]``; the others are redrawn."""
        rows = attacked_rows(self.features, grading.attack_clips)
        raw = self.features.select(rows)
        safe, *redrawn = (copy.select(rows) for copy in copies)
        found: list[Reading] = []
        for secret, kind in subjects(grading.secrets, grading.kinds):
            answers = attack_secret(
                safe,
                raw,
                self.labels,
                secret,
                kind=kind,
                attacks=grading.attacks,
                seed=self.seed,
                redrawn=redrawn,
            )
            found.append(
                {
                    "secret": secret,
                    "kind": kind,
                    "metric": answers.metric,
                    "chance": answers.chance,
                    "attacks": {name: answers.value(name) for name in answers.probabilities},
                }
            )
        return found

    def development(self) -> TaskArena:
        """The same without test videos: validation videos are tested on, and some people of the training part validate.

        Settings are chosen here, so that the test videos have no say in them.
        """
        labels = self.labels.only([*self.labels.videos("train"), *self.labels.videos("val")])
        groups = labels.groups
        split = np.where(labels.split == "val", "test", labels.split)
        held_out = np.random.default_rng(self.seed).permutation(np.unique(groups[split == "train"]))
        held_out = held_out[: max(1, round(DEVELOPMENT_SHARE * len(held_out)))]
        split[(split == "train") & np.isin(groups, held_out)] = "val"
        return replace(
            self,
            features=self.features.of_videos(labels.video.tolist()),
            labels=replace(labels, split=split),
        )


def all_subsets(tasks: Sequence[str]) -> list[tuple[str, ...]]:
    """Every subset of the tasks, the empty one first, in the order of the paper's Table 4."""
    return list(chain.from_iterable(combinations(tasks, size) for size in range(len(tasks) + 1)))


def attacked_rows(features: FeatureSet, per_video: int) -> np.ndarray:
    """The rows that are attacked, in order: all stills, and ``per_video`` evenly spaced clips of a video (0: all)."""
    chosen = []
    for _, kind, _, rows in features.sequences():
        if kind == TEMPORAL and 0 < per_video < len(rows):
            rows = rows[np.linspace(0, len(rows) - 1, per_video).round().astype(int)]
        chosen.append(rows)
    return np.sort(np.concatenate(chosen))


def measure_row(arena: TaskArena, row: SubsetRow, grading: Grading) -> dict[str, Any]:
    """Everything the table wants to know of one row."""
    started = time.monotonic()
    adapter = arena.fit(row)
    fit_seconds = time.monotonic() - started
    copies = [arena.features]
    if adapter is not None:
        copies = [anonymize(adapter, arena.features, seed=arena.seed)]
        if INFORMED in grading.attacks:
            copies += redraw(adapter, arena.features, seed=arena.seed)
    return {
        "row": row.key,
        "name": row.name or row.preset,
        "fitted_for": list(row.tasks),
        "changes": list(row.changes),
        "seed": arena.seed,
        "heads": dict(grading.heads),
        "fit_seconds": round(fit_seconds, 1),
        "tasks": arena.scores(copies[0], grading.heads),
        READINGS: arena.readings(copies, grading),
    }
