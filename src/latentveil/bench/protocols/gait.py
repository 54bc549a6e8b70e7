"""Gait: who walks, by the most similar walk of a gallery, laid out as CASIA-B (the paper's Table 6).

The gallery are the first four walks in usual clothes, the probes the last two (nm, the headline), those with a bag (bg)
and those in a coat (cl). A video is the mean of its clips' features of unit length; no gallery walk is excluded, and in
the columns "other view" those of the probe's own view are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.attacks.base import video_means
from latentveil.attacks.retrieval import cosine_similarity, retrieval_hits
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.measures.secrets import secret_score
from latentveil.bench.protocols.action_arena import ActionArena
from latentveil.bench.protocols.base import BenchProtocol, entry_of, of_set
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Score
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels
from latentveil.metrics.intervals import SHARE, Halves, interval_over_groups, mean_of
from latentveil.types import TEMPORAL, FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

ROLES = ("role", "gait_set")  # the column that says gallery or probe, as readers name it
GALLERY = "gallery"
HEADLINE = "nm"


class GaitOptions(Strict):
    """The sets by the column `set`: walks, and the actions that adapters learn from.

    ``best_attack`` adds what the best attack on identity reaches in the walks of the headline.
    """

    gait_set: str = ""
    action_set: str = ""
    best_attack: bool = True


@dataclass(frozen=True, eq=False)
class GaitArena(ActionArena):
    """Walks that no adapter learns from, and the actions that it does."""

    features: FeatureSet
    labels: Labels
    seed: int
    walks: Labels
    actions: ActionCut
    options: GaitOptions

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        copies = self.publish(row, adapter)
        scores = retrieval_scores(copies[0], self.walks, seed=self.seed)
        if self.options.best_attack:
            usual = self.walks.only(self.walks.video[self.walks.column("condition") == HEADLINE])
            subject = (IDENTITY, TEMPORAL)
            scores[f"{HEADLINE}, best attack"] = secret_score(
                copies, self.features, usual, subject, attacks=recipe.attacks, seed=self.seed
            )
        return entry_of(recipe, row, self, scores | self.actions.scores(copies[0], seed=self.seed))


def retrieval_scores(safe: FeatureSet, walks: Labels, *, seed: int) -> dict[str, Score]:
    """Top-1 of the most similar gallery walk by cosine, by condition, with the same view and without it."""
    clips = safe.select(np.isin(safe.video, walks.video)).of_kind(TEMPORAL)
    length = np.maximum(np.linalg.norm(clips.feature, axis=1, keepdims=True), 1e-12)
    video, feature = video_means(clips.feature / length, clips.video)
    person, view, condition = (walks.lookup(name, video) for name in ("person", "view", "condition"))
    is_gallery = walks.lookup(role_column(walks), video) == GALLERY
    shown = np.isin(person, np.unique(person[is_gallery]))
    scores = {}
    for name in sorted(
        set(condition[~is_gallery & shown].tolist()), key=lambda name: (name != HEADLINE, name)
    ):
        probes = ~is_gallery & shown & (condition == name)
        similarity = cosine_similarity(feature[probes], feature[is_gallery])
        same_view = view[probes][:, None] == view[is_gallery]
        for column, excluded in ((name, None), (f"{name}, other view", same_view)):
            hits = retrieval_hits(similarity, person[is_gallery], person[probes], excluded=excluded)
            interval = interval_over_groups(mean_of(hits), person[probes], seed=seed, limits=SHARE)
            scores[column] = Score.of(
                interval,
                "low",
                chance=1 / len(np.unique(person[is_gallery])),
                by="cosine, no training",
                people=len(np.unique(person[probes])),
                videos=int(probes.sum()),
                halves=Halves.of(mean_of(hits), person[probes]),
            )
    return scores


def role_column(labels: Labels) -> str:
    """The column that says which walks are the gallery."""
    for name in ROLES:
        if name in labels.columns:
            return name
    raise InputError(
        f"labels must have a column {ROLES[0]!r} of gallery and probe, got {', '.join(labels.columns) or 'none'}. "
        "`veil datasets prepare casia_b` and `veil actors --task gait` write it."
    )


class Gait(BenchProtocol):
    """Retrieval of walks."""

    name: ClassVar[str] = "gait"
    about: ClassVar[str] = "who walks: CASIA-B's retrieval, by condition, same view included and excluded"
    Options: ClassVar[type[Strict]] = GaitOptions

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> GaitArena:
        options = GaitOptions.model_validate(recipe.options)
        actions = ActionCut.draw(of_set(data.labels, options.action_set), seed=seed)
        walks = of_set(data.labels, options.gait_set)
        walks = walks.only(walks.video[walks.column(role_column(walks)) != ""])
        return GaitArena(data.features, data.labels, seed, walks, actions, options)


protocol = Gait()
