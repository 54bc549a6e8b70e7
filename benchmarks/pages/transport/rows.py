"""The rows of the page: how each set is made safe, and which of them can be made of which data."""

from __future__ import annotations

from dataclasses import dataclass

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Row
from latentveil.labels import Labels
from latentveil.methods.base import TrainingData
from latentveil.methods.material import groups_in
from latentveil.methods.plan import load_config
from latentveil.types import FeatureSet


@dataclass(frozen=True)
class SafeRow:
    """A way to make features safe; ``groups`` names those of `transport`, and ``later`` leaves test videos for later.

    Other methods are fitted on training videos of seen actions, as in every bench; `transport` on all videos, with no
    action known.
    """

    name: str
    changes: tuple[str, ...] = ()
    motion: bool = False
    groups: str = ""
    later: bool = False

    def possible(self, labels: Labels) -> bool:
        """Whether the labels have the column of the groups."""
        return self.groups != "recording" or labels.recording is not None

    def copies(self, arena: Arena) -> list[FeatureSet]:
        """The safe features, and copies of them with other noise, as whoever holds the adapter can make."""
        adapter = self._transport(arena) if self.groups else arena.fit(self._row())
        safe = anonymize(adapter, arena.features, seed=arena.seed)
        return [safe] if self.groups else [safe, *redraw(adapter, arena.features, seed=arena.seed)]

    def _row(self) -> Row:
        return Row(name=self.name, changes=self.changes, motion=self.motion)

    def _transport(self, arena: Arena) -> Adapter:
        changes = [f"transport.groups={self.groups}", f"train.seed={arena.seed}", *self.changes]
        plan = load_config(changes=changes, method="transport")
        features, labels = arena.features, arena.labels
        if self.later:
            features = features.of_videos([*labels.videos("train"), *labels.videos("val")])
        return plan.fit(TrainingData(features=features, motion=True, groups=groups_in(labels, plan)))


RAW, NOISE = "raw", "only noise"
ROWS = (
    SafeRow(RAW, ("method=identity",)),
    SafeRow(NOISE, ("method=noise", "erasure.noise=1e6")),
    SafeRow("veil (named tasks)"),
    SafeRow("motion", motion=True),
    SafeRow("transport by person", groups="person"),
    SafeRow("the same, level one alone", ("transport.clusters=0",), groups="person"),
    SafeRow(
        "the same without draws (control)", ("transport.clusters=0", "transport.draw=0"), groups="person"
    ),
    SafeRow("transport by recording", groups="recording"),
    SafeRow("transport by clusters of stills (no label)", groups="stills"),
    SafeRow("transport, each video by itself (no label)", groups="video"),
    SafeRow("transport by person, test videos came later", groups="person", later=True),
)
