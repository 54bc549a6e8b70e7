"""How well fresh heads recognise actions: ones that the adapter has seen or not, of people it has seen or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latentveil.bench.counted import counted
from latentveil.bench.scores import Better, Score
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.machine.threads import threads_for
from latentveil.tasks.action import ActionTask
from latentveil.types import FeatureSet

STRANGERS, KNOWN_PEOPLE = "strangers", "known people"


@dataclass(frozen=True, eq=False)
class ActionCut:
    """Which actions adapters may see (none named: all), and which videos of known people are kept from everybody."""

    labels: Labels
    seen: tuple[str, ...]
    held_out: frozenset[str]

    @classmethod
    def draw(cls, labels: Labels, *, seed: int, num_seen: int = 0, known_share: float = 0.0) -> ActionCut:
        """Draw ``num_seen`` seen actions (0: all are) and the share of the training videos that is held out."""
        random = np.random.default_rng(seed)
        labels = labels.only(labels.video[labels.column("action") != ""])
        actions = sorted(set(labels.column("action").tolist()))
        if num_seen and len(actions) < num_seen + 2:
            raise InputError(
                f"labels must hold at least {num_seen + 2} actions, got {len(actions)}. num_seen is {num_seen}, and "
                "two more must be left unseen: set a smaller num_seen in the recipe, or take data with more actions."
            )
        seen = random.choice(actions, num_seen, replace=False).tolist() if num_seen else actions
        train = random.permutation(np.array(labels.videos("train")))
        held_out = frozenset(train[: round(known_share * len(train))].tolist())
        return cls(labels, tuple(sorted(seen)), held_out)

    @property
    def is_split(self) -> bool:
        """Whether some actions are unseen."""
        return set(self.seen) < set(self.labels.column("action").tolist())

    def training_labels(self) -> Labels:
        """What adapters may know: seen actions, without what is held out."""
        return self.labels_of(seen=True).only(set(self.labels.video.tolist()) - self.held_out)

    def scores(self, safe: FeatureSet, *, seed: int) -> dict[str, Score]:
        """Top-1 of a linear head trained on anonymized training videos, by sort of action and of people."""
        found: dict[str, Score] = {}
        for seen in (True, False) if self.is_split else (True,):
            labels = self.labels_of(seen=seen)
            name = ("seen actions" if seen else "unseen actions") if self.is_split else "actions"
            found |= self._scores_of(safe, labels, name, seed=seed)
        return found

    def _scores_of(self, safe: FeatureSet, labels: Labels, name: str, *, seed: int) -> dict[str, Score]:
        held = np.isin(labels.video, sorted(self.held_out))
        known = replace(
            labels, split=np.where(held, "test", np.where(labels.split == "test", "", labels.split))
        )
        tested = {name: labels.only(labels.video[~held])}
        if held.any():
            tested = {
                f"{name}, {STRANGERS}": tested[name],
                f"{name}, {KNOWN_PEOPLE}": known.only(known.video[known.split != ""]),
            }
        return {column: _score(safe, part, seed=seed) for column, part in tested.items()}

    def labels_of(self, *, seen: bool) -> Labels:
        """The labels of the videos with a seen (or an unseen) action."""
        chosen = np.isin(self.labels.column("action"), self.seen) == seen
        return self.labels.only(self.labels.video[chosen])


def _score(safe: FeatureSet, labels: Labels, *, seed: int) -> Score:
    return score_of_column(safe, labels, "action", better="high", seed=seed)


def score_of_column(safe: FeatureSet, labels: Labels, column: str, *, better: Better, seed: int) -> Score:
    """What a fresh linear head reads of a column in clips: top-1, or cMAP where values are tags joined by ``|``."""
    task = ActionTask(safe, labels, column=column)
    with threads_for(safe.feature.size):
        result = task.score(task.fit_head(seed=seed), "test", seed=seed)
    videos = labels.videos("test")
    return Score.of(
        result.interval,
        better,
        chance=task.chance,
        by="a fresh linear head",
        **counted(labels, videos),
        halves=result.halves,
    )
