"""Arenas that grade published features, whoever made them: an adapter, or an anonymizer of the videos themselves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from latentveil.adapters.adapter import Adapter
from latentveil.bench.pixels.anonymizers import make_anonymizer
from latentveil.bench.pixels.encoded import rewritten_features
from latentveil.bench.protocols.base import CORE_SECONDS, Arena
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row
from latentveil.errors import InputError
from latentveil.types import FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.recipe import Recipe


class PublishedArena(Arena):
    """Grades features alone, so that rows of adapters and of rewritten videos stand side by side."""

    @abstractmethod
    def grade(
        self, recipe: Recipe, row: Row, copies: Sequence[FeatureSet], *, seconds: float | None
    ) -> Entry:
        """Everything the protocol wants to know of a row's features: the published ones, then redrawn ones.

        ``seconds`` are those of one core that the row's training took; None where nobody looked.
        """

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        made = adapter.config.get("recipe") or {}
        return self.grade(recipe, row, self.publish(row, adapter), seconds=made.get(CORE_SECONDS, 0.0))

    def measure_pixels(self, recipe: Recipe, row: Row, *, shared: Path) -> Entry:
        """The same of rewritten videos, behind the encoder of the raw ones."""
        if self.videos is None:
            raise InputError(
                f"data must hold videos for the row {row.name!r}, got none. Put them into its folder `videos`."
            )
        made = make_anonymizer(
            row,
            self.videos.places,
            self.training_labels(),
            folder=self.videos.folder,
            seed=self.seed,
            shared=shared,
        )
        safe = rewritten_features(self.videos, made.anonymizer, self.features, self.labels, shared=shared)
        entry = self.grade(recipe, row, [safe], seconds=made.core_seconds)
        training = made.training()
        return entry if training is None else entry | {"training": training}
