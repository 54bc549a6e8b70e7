"""What a protocol of the bench is: it cuts data for a seed, lets rows fit adapters there, and measures these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import ValidationError

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import UNMEASURED, Entries, Score
from latentveil.bench.videos import BenchVideos
from latentveil.errors import InputError
from latentveil.joined_labels import SET
from latentveil.labels import Labels, Segment
from latentveil.methods.base import TrainingData
from latentveil.methods.material import build_training_data, groups_in
from latentveil.progress import OnProgress, silent
from latentveil.types import ClipTiming, FeatureSet, concatenate

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

CORE_SECONDS = "core_seconds"  # where an adapter's config.json says what its training took
SCORES = "scores"  # where an entry keeps what was measured, by column


class Arena(ABC):
    """A data set under one seed: what an adapter may be fitted on, and what it is measured on."""

    features: FeatureSet
    labels: Labels
    seed: int
    segments: dict[str, list[Segment]] | None = None
    timing: ClipTiming | None = None
    videos: BenchVideos | None = None

    @property
    @abstractmethod
    def cut(self) -> dict[str, Any]:
        """What the seed drew that decides what an adapter learns from, for the record."""

    @abstractmethod
    def training_labels(self) -> Labels:
        """The videos that adapters may know, by split."""

    @abstractmethod
    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        """Everything the protocol wants to know of one row's adapter."""

    def measure_pixels(self, recipe: Recipe, row: Row, *, shared: Path) -> Entry:
        """The same of a row that rewrites videos; ``shared`` keeps what was trained for it."""
        raise InputError(
            f"protocol must grade rewritten videos for the row {row.name!r}, got {recipe.protocol!r}. Take `pixels`, "
            "`action_privacy`, `over_time` or `tasks`."
        )

    def training_data(self, row: Row) -> TrainingData:
        """What the row's method may read: all videos that are to be published, where it treats them as a set."""
        plan = row.config(seed=self.seed)
        if plan.method.as_set:
            return TrainingData(features=self.features, motion=True, groups=groups_in(self.labels, plan))
        labels = some_people(self.training_labels(), row.people, seed=self.seed)
        build = partial(
            build_training_data,
            labels=labels,
            plan=plan,
            tasks=row.all_tasks,
            segments=self.segments,
            timing=self.timing,
        )
        data = build(self.features)
        if not row.live:
            return data
        if self.videos is None:
            raise InputError(
                f"data must hold videos for the live row {row.name!r}, got none. Put them into its folder `videos`."
            )
        views = self.videos.views(labels.videos("train"), seed=self.seed)
        chosen_on = self.features.of_videos(labels.videos("val"))
        return replace(data, fresh=lambda epoch: build(concatenate([views(epoch), chosen_on])))

    def publish(self, row: Row, adapter: Adapter) -> list[FeatureSet]:
        """The row's features, and redrawn ones, as whoever holds the adapter makes them; a set's key is destroyed."""
        safe = self.safe_features(row, adapter)
        if row.scattered or row.config(seed=self.seed).method.as_set:
            return [safe]
        return [safe, *redraw(adapter, self.features, seed=self.seed)]

    def safe_features(self, row: Row, adapter: Adapter) -> FeatureSet:
        """The row's features, or, where it is a control, ones that were moved as far."""
        safe = anonymize(adapter, self.features, seed=self.seed)
        return scattered(self.features, safe, seed=self.seed) if row.scattered else safe

    def fit(self, row: Row, *, folder: Path | None = None) -> Adapter:
        """The row's adapter, fitted on training videos; ``folder`` keeps log and checkpoint."""
        return row.config(seed=self.seed).fit(self.training_data(row), folder=folder)


def scattered(raw: FeatureSet, safe: FeatureSet, *, seed: int) -> FeatureSet:
    """Every row as far from its raw one as the ``safe`` one is, in a random direction: a change that knows nothing."""
    distance = np.linalg.norm(safe.feature - raw.feature, axis=1, keepdims=True)  # (N, 1)
    direction = np.random.default_rng(seed).standard_normal(raw.feature.shape)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return raw.with_feature((raw.feature + distance * direction).astype(np.float32))


class BenchProtocol(ABC):
    """One way to cut and to measure; ``Options`` are what a recipe may set of it."""

    name: ClassVar[str]
    about: ClassVar[str]
    Options: ClassVar[type[Strict]] = Strict
    needs_data: ClassVar[bool] = True  # else its adapters learn nothing, and none is kept

    def own_data(
        self, data: str | Path, recipe: Recipe, *, output: Path, quick: bool, on_progress: OnProgress = silent
    ) -> BenchData | None:
        """The data that ``data`` names, for a protocol that needs more than features; None: features are enough."""
        return None

    @abstractmethod
    def build(self, data: Any, recipe: Recipe, *, seed: int) -> Arena:
        """The data (BenchData, or None for a protocol that needs none) cut by ``seed``."""

    def in_full(self, options: Any) -> dict[str, Any]:
        """``options`` as a recipe states them, and the defaults of those that it leaves out."""
        return self.Options.model_validate(options).model_dump(mode="json")

    def is_current(self, entry: Entry, recipe: Recipe, row: Row) -> bool:
        """Whether an entry holds what the recipe asks for now, so that it need not be measured again.

        Entries of before options were kept in full are taken to be of today's defaults for what they leave out.
        """
        kept = entry.get("asked")
        if not isinstance(kept, dict) or "options" not in kept:
            return False
        try:
            return kept | {"options": self.in_full(kept["options"])} == recipe.asked
        except ValidationError:  # of an option that is gone, or may not have that value any more
            return False

    def scores(self, entry: Entry) -> dict[str, Score]:
        """What an entry says, by column, in the order of the table."""
        return {column: Score(**score) for column, score in entry[SCORES].items()}

    def notes(self, recipe: Recipe, found: Entries) -> list[str]:
        """Lines of Markdown below the table."""
        return []

    def plot(self, recipe: Recipe, found: Entries) -> str:
        """The picture (SVG) of a table; empty for the usual one."""
        return ""


def entry_of(
    recipe: Recipe,
    row: Row,
    arena: Arena,
    scores: Mapping[str, Score],
    *,
    unmeasured: Mapping[str, str] | None = None,
) -> Entry:
    """The entry of a row, as a results file keeps it; ``unmeasured`` says which columns the data do not allow."""
    return {
        "row": row.key,
        "name": row.name,
        "seed": arena.seed,
        "asked": recipe.asked,
        SCORES: {column: score.to_dict() for column, score in scores.items()},
        **({UNMEASURED: dict(unmeasured)} if unmeasured else {}),
    }


def some_people(labels: Labels, share: float, *, seed: int) -> Labels:
    """The labels with a random share of the training people, or videos; a larger share includes a smaller one."""
    if share >= 1:
        return labels
    groups = labels.groups
    names = np.random.default_rng(seed).permutation(np.unique(groups[labels.split == "train"]))
    kept = names[: max(1, round(share * len(names)))]
    return labels.only(labels.video[(labels.split != "train") | np.isin(groups, kept)])


def of_set(labels: Labels, names: str) -> Labels:
    """The videos of one set, or of several joined by +, by the column `set`; all where none is named or told apart."""
    if not names or SET not in labels.columns:
        return labels
    return labels.only(labels.video[np.isin(labels.column(SET), names.split("+"))])
