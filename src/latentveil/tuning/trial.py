"""One trial of settings: what attackers still find behind the adapter, and what tasks still reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers, lies_above
from latentveil.labels import Labels, Segment
from latentveil.results.record import Record
from latentveil.tasks.base import Task, TaskScore
from latentveil.tasks.build import build_tasks
from latentveil.types import KINDS, ClipTiming, FeatureSet, Interval


@dataclass(frozen=True, eq=False)
class Trial(Record):
    """Settings as texts, the share ``removed`` of every reading of a secret, and the share ``kept`` of every task.

    A share is None where raw features show nothing above guessing. The names of readings are those of the secret and of
    the clips it was read from.
    """

    settings: dict[str, str]
    removed: dict[str, Interval | None]
    kept: dict[str, float | None]

    @property
    def mean_removed(self) -> float | None:
        """The mean over all readings of which something can be told."""
        told = [interval.value for interval in self.removed.values() if interval is not None]
        return float(np.mean(told)) if told else None

    @property
    def least_kept(self) -> float | None:
        """What the task that suffers most keeps."""
        return min((share for share in self.kept.values() if share is not None), default=None)


class Ruler:
    """Grades adapters on the same videos, with raw features attacked and used once for all of them."""

    def __init__(
        self,
        raw: FeatureSet,
        labels: Labels,
        *,
        secrets: Sequence[str],
        attacks: Sequence[str],
        tasks: Sequence[str],
        segments: dict[str, list[Segment]] | None,
        timing: ClipTiming | None,
        seed: int,
    ) -> None:
        self.raw, self.labels, self.attacks, self.seed = raw, labels, attacks, seed
        self.tasks, self.segments, self.timing = tasks, segments, timing
        kinds = [kind for kind in KINDS if (raw.kind == kind).any()]
        self.on_raw = {
            (secret, kind): self._attack(raw, secret, kind) for secret in secrets for kind in kinds
        }
        self.raw_tasks = self._tasks(raw)
        self.raw_scores = {name: self._score(task) for name, task in self.raw_tasks.items()}

    def grade(self, adapter: Adapter, settings: dict[str, str]) -> Trial:
        """What is removed and kept behind ``adapter``, whose noise is drawn from the ruler's seed."""
        shown = anonymize(adapter, self.raw, seed=self.seed)
        removed = {}
        for (secret, kind), before in self.on_raw.items():
            found = compare_answers(before, self._attack(shown, secret, kind), seed=self.seed)
            removed[f"{secret}, {kind}"] = found.leakage_removed_interval
        kept: dict[str, float | None] = {}
        for name, task in self._tasks(shown).items():
            useful, chance = self.raw_scores[name].interval, self.raw_tasks[name].chance
            after = self._score(task).interval.value
            kept[name] = after / useful.value if lies_above(useful, chance) else None
        return Trial(settings, removed, kept)

    def _attack(self, features: FeatureSet, secret: str, kind: str) -> SecretAnswers:
        return attack_secret(
            features, self.raw, self.labels, secret, kind=kind, attacks=self.attacks, seed=self.seed
        )

    def _tasks(self, features: FeatureSet) -> dict[str, Task]:
        return build_tasks(self.tasks, features, self.labels, segments=self.segments, timing=self.timing)

    def _score(self, task: Task) -> TaskScore:
        return task.score(task.fit_head(seed=self.seed), "test", seed=self.seed)
