"""Bias: does a head that learned from biased videos do worse for one group of people, and less so after anonymization?

The paper's Table 2, from any set with people, a group column and actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.measures.bias_draw import GIVEN, balanced_people, biased_labels, given_labels
from latentveil.bench.protocols.base import Arena, BenchProtocol, entry_of, of_set
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Better, Entries, Score
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, Halves, WeightedStatistic, interval_over_groups, mean_of
from latentveil.tasks.action import ActionTask
from latentveil.types import FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

GAP = "gap"


class BiasOptions(Strict):
    """The sets by the column `set`, the ``group`` column, and how bias is made.

    ``action`` is the one that goes along with a group (blank: the seed draws one); each group of ``majorities`` (none
    named: every group) takes its turn as the one that does it. With ``by`` given, people and videos stay in the split
    of the labels, biased as they are. Adapters learn from ``action_set``, or, where that is not named, from the biased
    videos of the first majority.
    """

    bias_set: str = ""
    action_set: str = ""
    group: str = "gender"
    action: str = ""
    majorities: tuple[str, ...] = ()
    by: Literal["subject", "videos", "given"] = "subject"
    minority_share: float = Field(0.05, gt=0, lt=0.5)
    names: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class BiasArena(Arena):
    """The biased sets, by the group that does the biased action."""

    features: FeatureSet
    labels: Labels
    seed: int
    options: BiasOptions
    action: str
    biased: dict[str, Labels]
    actions: ActionCut | None

    @property
    def cut(self) -> dict[str, Any]:
        return {
            "biased_action": self.action,
            "biased_videos": [len(one.video) for one in self.biased.values()],
        }

    def training_labels(self) -> Labels:
        if self.actions is not None:
            return self.actions.training_labels()
        return next(iter(self.biased.values()))

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        safe = self.safe_features(row, adapter)
        scores: dict[str, Score] = {}
        for majority, labels in self.biased.items():
            name = self.options.names.get(majority, majority)
            found = group_scores(
                safe, labels, group=self.options.group, seed=self.seed, names=self.options.names
            )
            where = f"bias {name}: " if majority else ""
            scores |= {f"{where}{column}": score for column, score in found.items()}
        return entry_of(recipe, row, self, scores)


def group_scores(
    safe: FeatureSet, labels: Labels, *, group: str, seed: int, names: dict[str, str] | None = None
) -> dict[str, Score]:
    """The accuracy of a head trained on these videos for each group of test people, for all, and the largest gap."""
    task = ActionTask(safe, labels)
    head = task.fit_head(seed=seed)
    videos = np.array(labels.videos("test"))
    correct = _correct(task, head, videos.tolist())
    groups, person = labels.lookup(group, videos), labels.lookup("person", videos)

    def score(statistic: WeightedStatistic, rows: np.ndarray, better: Better, chance: float) -> Score:
        return Score.of(
            interval_over_groups(statistic, person[rows], seed=seed, limits=SHARE),
            better,
            chance=chance,
            by="a fresh linear head",
            people=len(np.unique(person[rows])),
            videos=int(rows.sum()),
            halves=Halves.of(statistic, person[rows]),
        )

    scores = {}
    for value in np.unique(groups):
        rows = groups == value
        name = (names or {}).get(str(value), str(value))
        scores[name] = score(mean_of(correct[rows]), rows, "high", task.chance)
    everybody = np.ones(len(videos), dtype=bool)
    scores["overall"] = score(mean_of(correct), everybody, "high", task.chance)
    scores[GAP] = score(largest_gap(correct, groups), everybody, "low", 0.0)
    return scores


def largest_gap(correct: np.ndarray, groups: np.ndarray) -> WeightedStatistic:
    """The difference between the best and the worst group's accuracy, (V,) and (V,); NaN where a group is missing."""
    members = np.stack([groups == value for value in np.unique(groups)]).astype(np.float64)  # (G, V)

    def gap(weights: np.ndarray) -> np.ndarray:
        totals = weights @ members.T  # (R, G)
        accuracy = (weights * correct) @ members.T / np.where(totals > 0, totals, np.nan)
        return accuracy.max(axis=1) - accuracy.min(axis=1)

    return gap


def _correct(task: ActionTask, head: torch.nn.Module, videos: list[str]) -> np.ndarray:
    """Whether the head names each video's action, (V,) of 0 and 1."""
    answers = task.answers(head, videos)
    return (answers.argmax(axis=1) == task.targets(videos)).astype(np.float64)


class Bias(BenchProtocol):
    """Gaps between groups."""

    name: ClassVar[str] = "bias"
    about: ClassVar[str] = (
        "accuracy by group of people after training on videos in which a group goes with an action"
    )
    Options: ClassVar[type[Strict]] = BiasOptions

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> BiasArena:
        options = BiasOptions.model_validate(recipe.options)
        labels = of_set(data.labels, options.bias_set)
        actions = None
        if options.action_set:
            actions = ActionCut.draw(of_set(data.labels, options.action_set), seed=seed)
        if options.by == GIVEN:
            biased = {"": given_labels(labels, options.group)}
            return BiasArena(data.features, data.labels, seed, options, "", biased, actions)
        people = balanced_people(labels, options.group, seed=seed)
        known = sorted(set(labels.column("action").tolist()) - {""})
        action = options.action or str(np.random.default_rng([seed, 2]).choice(known))
        biased = {
            majority: biased_labels(
                labels,
                people,
                majority=majority,
                action=action,
                by=options.by,
                minority_share=options.minority_share,
                seed=seed,
            )
            for majority in options.majorities or tuple(sorted(people["train"]))
        }
        return BiasArena(data.features, data.labels, seed, options, action, biased, actions)

    def notes(self, recipe: Recipe, found: Entries) -> list[str]:
        """How much of the raw gap is gone, from the means over seeds."""
        columns = [column for column in found.columns if column == GAP or column.endswith(f": {GAP}")]
        lines = ["The share of the raw gap that is gone, from the means over seeds:", ""]
        for column in columns:
            raw = found.values(recipe.raw, column)
            if not raw or np.mean(raw) <= 0:
                continue
            shares = [
                f"`{row}` {1 - np.mean(found.values(row, column)) / np.mean(raw):.0%}"
                for row in found.rows
                if row != recipe.raw and found.values(row, column)
            ]
            lines.append(f"- {column}: {', '.join(shares)}")
        return [*lines, ""]


protocol = Bias()
