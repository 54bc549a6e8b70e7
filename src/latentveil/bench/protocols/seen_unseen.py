"""Seen and unseen actions: some actions are seen by the adapter, the others measure what it was never shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from latentveil.adapters.adapter import Adapter
from latentveil.attacks import load_attacks
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers
from latentveil.auditing.measure import measure_utility
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.protocols.action_arena import ActionArena
from latentveil.bench.protocols.base import BenchProtocol
from latentveil.bench.readings import (
    READINGS,
    Entry,
    Reading,
    Subject,
    describe_subject,
    find_reading,
    subjects,
    subjects_of,
)
from latentveil.bench.rows import Row
from latentveil.bench.scores import Score
from latentveil.labels import Labels
from latentveil.machine.threads import threads_for
from latentveil.tasks.action import ActionTask
from latentveil.types import TEMPORAL, FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe


@dataclass(frozen=True)
class Arena(ActionArena):
    """A data set under one seed: which of its actions are seen, and what attacks learn from its raw features."""

    features: FeatureSet
    labels: Labels
    seed: int
    actions: ActionCut
    raw_answers: dict[tuple[Subject, str | tuple[str, ...]], SecretAnswers]

    @classmethod
    def build(cls, features: FeatureSet, labels: Labels, recipe: Recipe, *, seed: int) -> Arena:
        """Draw the seen actions from ``seed``."""
        return cls(features, labels, seed, ActionCut.draw(labels, num_seen=recipe.num_seen, seed=seed), {})

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        return measure_row(self, recipe, row, adapter)

    def raw(self, subject: Subject, attacks: str | tuple[str, ...]) -> SecretAnswers:
        """What attacks learn from raw features, computed once for all rows."""
        key = (subject, attacks)
        if key not in self.raw_answers:
            self.raw_answers[key] = self._attack([self.features], subject, attacks)
        return self.raw_answers[key]

    def read_secret(
        self, copies: Sequence[FeatureSet], subject: Subject, *, attacks: str | tuple[str, ...]
    ) -> Reading:
        """What attacks learn of a secret; ``copies`` are the published features, then redrawn ones."""
        found = self._attack(copies, subject, attacks)
        leakage = compare_answers(self.raw(subject, attacks), found, seed=self.seed)
        return {"secret": subject[0], **leakage.to_dict()}

    def _attack(
        self, copies: Sequence[FeatureSet], subject: Subject, attacks: str | tuple[str, ...]
    ) -> SecretAnswers:
        secret, kind = subject
        return attack_secret(
            copies[0],
            self.features,
            self.labels,
            secret,
            kind=kind,
            attacks=attacks,
            seed=self.seed,
            redrawn=copies[1:],
        )

    def utility(self, safe: FeatureSet, *, seen: bool) -> dict[str, Any]:
        """The entry of the task "action" over seen or unseen actions, as in audit.json."""
        labels = self.actions.labels_of(seen=seen)
        tasks = [ActionTask(features, labels) for features in (self.features, safe)]
        with threads_for(safe.feature.size):
            return measure_utility(*tasks, seed=self.seed).to_dict()


def wanted_readings(recipe: Recipe, row: Row) -> tuple[list[Subject], str | tuple[str, ...]]:
    """What a row is graded on, and the attacks that grade it."""
    if row.full or row.part_of:
        secrets = recipe.secrets if row.full else recipe.secrets[:1]
        return subjects(secrets, recipe.kinds), recipe.attacks
    return [(recipe.secrets[0], TEMPORAL)], recipe.curve_attacks


def measure_row(arena: Arena, recipe: Recipe, row: Row, adapter: Adapter) -> dict[str, Any]:
    """Everything the bench wants to know of one row's adapter under one seed."""
    copies = arena.publish(row, adapter)
    wanted, attacks = wanted_readings(recipe, row)
    return {
        "row": row.key,
        "name": row.name,
        "seed": arena.seed,
        **arena.cut,
        READINGS: [arena.read_secret(copies, subject, attacks=attacks) for subject in wanted],
        "seen": arena.utility(copies[0], seen=True),
        "unseen": arena.utility(copies[0], seen=False),
    }


class SeenUnseen(BenchProtocol):
    """Each seed draws the actions that adapters may see; the others measure what an adapter was never shown."""

    name: ClassVar[str] = "seen_unseen"
    about: ClassVar[str] = "secrets under every attack, and actions that the adapter has seen or not"

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> Arena:
        return Arena.build(data.features, data.labels, recipe, seed=seed)

    def is_current(self, entry: Entry, recipe: Recipe, row: Row) -> bool:
        wanted, attacks = wanted_readings(recipe, row)
        names = {attack.name for attack in load_attacks(attacks)}
        return (
            READINGS in entry
            and subjects_of(entry) == wanted
            and all(set(reading["attacks"]) == names for reading in entry[READINGS])
        )

    def scores(self, entry: Entry) -> dict[str, Score]:
        found = {}
        for subject in subjects_of(entry):
            reading = find_reading(entry, subject)
            worst = reading["worst"]
            found[describe_subject(subject)] = Score(
                **worst["anonymized"],
                better="low",
                chance=reading["chance"],
                by=worst["attack"],
                people=reading.get("num_groups"),
                videos=reading.get("num_videos"),
            )
        for name in ("seen", "unseen"):
            result = entry[name]
            ends = {end: result["anonymized"][end] for end in ("value", "low", "high")}
            found[f"{name} actions"] = Score(**ends, better="high", chance=result["chance"])
        return found


protocol = SeenUnseen()
