"""Tasks that an adapter was fitted for, and tasks that it was not (the paper's Table 4): fresh heads for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.bench.counted import counted
from latentveil.bench.measures.secrets import secret_scores
from latentveil.bench.protocols.base import BenchProtocol, entry_of
from latentveil.bench.protocols.published import PublishedArena
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Score
from latentveil.bench.videos import BenchVideos
from latentveil.labels import Labels, Segment
from latentveil.machine.threads import threads_for
from latentveil.tasks.base import Task
from latentveil.tasks.build import available_tasks, build_tasks
from latentveil.tasks.heads.base import find_head
from latentveil.types import ClipTiming, FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe


class TaskOptions(Strict):
    """The tasks to measure, all that the labels allow where none is named, and heads other than the usual ones."""

    tasks: tuple[str, ...] = ()
    heads: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TaskArena(PublishedArena):
    """Videos of several tasks; a blank in a task's column keeps a video out of it."""

    features: FeatureSet
    labels: Labels
    seed: int
    options: TaskOptions
    segments: dict[str, list[Segment]] | None = None
    timing: ClipTiming | None = None
    videos: BenchVideos | None = None

    @property
    def cut(self) -> dict[str, Any]:
        return {}

    def training_labels(self) -> Labels:
        return self.labels

    def safe_features(self, row: Row, adapter: Adapter) -> FeatureSet:
        """As of every arena, but each video that something is to be found in passes alone, as in the public code."""
        together = super().safe_features(row, adapter)
        if row.scattered:
            return together
        alone = anonymize(adapter, self.features, seed=self.seed, alone=True)
        is_alone = np.isin(self.features.video, self._searched_videos())
        return together.with_feature(np.where(is_alone[:, None], alone.feature, together.feature))

    def _searched_videos(self) -> np.ndarray:
        """The videos of the tasks that ask when something happens."""
        searched = np.zeros(len(self.labels.video), dtype=bool)
        for name in self._names:
            if find_head(name, self.options.heads.get(name)).needs_segments:
                in_all = name not in self.labels.columns
                searched |= in_all or self.labels.column(name) != ""
        return self.labels.video[searched]

    @property
    def _names(self) -> tuple[str, ...]:
        return self.options.tasks or tuple(available_tasks(self.labels, self.segments))

    def grade(
        self, recipe: Recipe, row: Row, copies: Sequence[FeatureSet], *, seconds: float | None
    ) -> Entry:
        scores = secret_scores(recipe, copies, self.features, self.labels, seed=self.seed)
        for name, task in self.tasks_on(copies[0]).items():
            scores[name] = self._score(task, name)
        return entry_of(recipe, row, self, scores)

    def tasks_on(self, safe: FeatureSet) -> dict[str, Task]:
        """The tasks with anonymized features, on which fresh heads learn."""
        return build_tasks(
            self._names,
            safe,
            self.labels,
            segments=self.segments,
            timing=self.timing,
            heads=self.options.heads,
        )

    def _score(self, task: Task, name: str) -> Score:
        with threads_for(self.features.feature.size):
            result = task.score(task.fit_head(seed=self.seed), "test", seed=self.seed)
        labelled = self.labels.only(self.labels.video[self.labels.column(name) != ""])
        videos = labelled.videos("test")
        return Score.of(
            result.interval,
            "high",
            chance=task.chance,
            by=f"a fresh head, {result.metric}",
            **counted(labelled, videos),
            halves=result.halves,
        )


class Tasks(BenchProtocol):
    """Seen and unseen tasks."""

    name: ClassVar[str] = "tasks"
    about: ClassVar[str] = "fresh heads for every task, behind adapters that were fitted for some of them"
    Options: ClassVar[type[Strict]] = TaskOptions

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> TaskArena:
        options = TaskOptions.model_validate(recipe.options)
        return TaskArena(data.features, data.labels, seed, options, data.segments, data.timing, data.videos)


protocol = Tasks()
