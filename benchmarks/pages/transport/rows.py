"""The rows of the page: how each set is made safe, and of which sets each row is made."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize, redraw
from latentveil.adapters.forget import forget_key
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Row
from latentveil.labels import Labels
from latentveil.methods.base import TrainingData
from latentveil.methods.material import groups_in
from latentveil.methods.plan import load_config
from latentveil.types import FeatureSet

NOBODY, WITH_KEY, WITH_REST = "nobody", "whoever has the key", "whoever has what is left of it"


@dataclass(frozen=True)
class SafeRow:
    """A way to make features safe; ``groups`` names those of `transport`, and ``later`` leaves test videos for later.

    Other methods are fitted on training videos of seen actions, as in every bench; `transport` on all videos, with no
    action known. ``holder`` is who holds the adapter of `transport`, and so can apply it again and again. Rows of a
    ``curve`` are points of the trade-off; those with ``sets`` are made of these sets alone. ``swapped`` is a control
    that says all of the action and nothing of the person. ``then_veil`` puts the adapter of named tasks behind the
    release.
    """

    name: str
    changes: tuple[str, ...] = ()
    motion: bool = False
    groups: str = ""
    later: bool = False
    holder: str = NOBODY
    curve: str = ""
    sets: tuple[str, ...] = ()
    swapped: bool = False
    then_veil: bool = False

    def possible(self, name: str, labels: Labels) -> bool:
        """Whether the row is made of this set, and the labels have the column of the groups."""
        has_groups = self.groups != "recording" or labels.recording is not None
        return has_groups and (not self.sets or name in self.sets)

    def copies(self, arena: Arena) -> list[FeatureSet]:
        """The safe features, and copies of them with other noise, as whoever holds the adapter can make."""
        if self.swapped:
            return [swap_people(arena.features, arena.labels, seed=arena.seed)]
        if not self.groups:
            adapter = arena.fit(self._row())
            safe = anonymize(adapter, arena.features, seed=arena.seed)
            return [safe, *redraw(adapter, arena.features, seed=arena.seed)]
        adapter = self.transport(arena.features, arena.labels, seed=arena.seed)
        safe = anonymize(adapter, arena.features, seed=arena.seed)
        if self.then_veil:
            behind = replace(arena, features=safe).fit(Row(name=VEIL))
            return [anonymize(behind, safe, seed=arena.seed)]
        if self.holder == WITH_REST:
            with tempfile.TemporaryDirectory() as folder:
                adapter.save(Path(folder) / "adapter")
                adapter = forget_key(Path(folder) / "adapter")
        held = [] if self.holder == NOBODY else redraw(adapter, arena.features, seed=arena.seed)
        return [safe, *held]

    def _row(self) -> Row:
        return Row(name=self.name, changes=self.changes, motion=self.motion)

    def transport(self, features: FeatureSet, labels: Labels, *, seed: int) -> Adapter:
        """The adapter of `transport`."""
        changes = [f"transport.groups={self.groups}", f"train.seed={seed}", *self.changes]
        plan = load_config(changes=changes, method="transport")
        if self.later:
            features = features.of_videos([*labels.videos("train"), *labels.videos("val")])
        return plan.fit(TrainingData(features=features, motion=True, groups=groups_in(labels, plan)))


def swap_people(features: FeatureSet, labels: Labels, *, seed: int) -> FeatureSet:
    """Every video shows what a random video of the same action, and of as many clips, showed before."""
    random = np.random.default_rng(seed)
    action = dict(zip(labels.video.tolist(), labels.column("action").tolist()))
    alike: dict[tuple[str, str, int], list[np.ndarray]] = {}
    for video, kind, _, rows in features.sequences():
        alike.setdefault((action[video], kind, len(rows)), []).append(rows)
    output = features.feature.copy()
    for found in alike.values():
        for own, other in zip(found, random.permutation(len(found))):
            output[own] = features.feature[found[other]]
    return features.with_feature(output)


RAW, NOISE, SWAPPED = "raw", "only noise", "people swapped within an action (control)"
BY_PERSON, BY_STILLS = "transport by person", "transport, no label"
BY_PERSON_NOISE_1 = f"{BY_PERSON}, noise 1"
BY_SCENE, LATER = "transport by scene", "by person, test videos came later"
BY_CLOTHES_TOO = "transport by scene, then by clothes"
VEIL, MOTION = "veil (named tasks)", "motion"
THEN_VEIL = f"{BY_PERSON}, then {VEIL}"
SMALL = ("lsa64",)
ROWS = (
    SafeRow(RAW, ("method=identity",)),
    SafeRow(NOISE, ("method=noise", "erasure.noise=1e6")),
    SafeRow(SWAPPED, swapped=True),
    SafeRow("noise, as large as clips differ", ("method=noise", "erasure.noise=1"), curve="noise"),
    SafeRow(VEIL, curve="veil"),
    SafeRow(MOTION, motion=True, curve="motion"),
    SafeRow(BY_PERSON, groups="person", curve="transport"),
    SafeRow("transport by person, no noise", ("transport.noise=0",), groups="person", curve="transport"),
    SafeRow(BY_PERSON_NOISE_1, ("transport.noise=1",), groups="person", curve="transport"),
    SafeRow("transport by person, noise 4", ("transport.noise=4",), groups="person", curve="transport"),
    SafeRow(BY_STILLS, groups="stills", curve="transport, no label"),
    SafeRow(THEN_VEIL, groups="person", then_veil=True, curve="transport, then veil"),
    SafeRow("transport by recording", groups="recording"),
    SafeRow("by person, levelled alone", ("transport.temperature=0", "transport.noise=0"), groups="person"),
    SafeRow(
        "by person, levelled alone, no draws (control)",
        ("transport.temperature=0", "transport.noise=0", "transport.draw=0"),
        groups="person",
    ),
    SafeRow(LATER, groups="person", later=True),
    SafeRow("by person, the attacker holds the key", groups="person", holder=WITH_KEY, sets=SMALL),
    SafeRow(
        "by person, the attacker holds what --forget left", groups="person", holder=WITH_REST, sets=SMALL
    ),
)
