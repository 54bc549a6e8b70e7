"""Actions against private attributes: adapters learn from videos of actions and are attacked in pictures of strangers.

The shape of the paper's Tables 1, 3, 5, 8, 9 and 10: an adapter fitted for actions, its privacy on another set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from latentveil.bench.measures.actions import ActionCut, score_of_column
from latentveil.bench.measures.attributes import BEST_ATTACK, attacked_score, graded_scores
from latentveil.bench.measures.linking import measure_linking
from latentveil.bench.measures.secrets import secret_scores
from latentveil.bench.protocols.action_arena import ActionArena
from latentveil.bench.protocols.base import BenchProtocol, entry_of, of_set
from latentveil.bench.protocols.published import PublishedArena
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Score
from latentveil.bench.videos import BenchVideos
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.types import KINDS, FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe


class ActionPrivacyOptions(Strict):
    """Which videos are for what, by the column `set` (blank: all of them), and what is measured.

    ``action_set`` has the actions, of which adapters see ``num_seen`` (0: all) and never the ``known_share`` of the
    training videos that is kept to test on known people. ``attributes`` are graded in the stills (or the
    ``attribute_kind`` of clips) of ``picture_set``, of which ``tested_set`` alone is graded on where it is named. Where
    segments say `attribute=value`, graders are read frame by frame. What is novel is in columns of its own: actions of
    the ``novel_action_set``, which only fresh heads learn, and ``novel_attributes``.
    ``private_tags`` are columns of tags joined by ``|`` (objects, scenes), which a fresh head reads in the clips of
    ``action_set`` as it reads actions.
    The recipe's secrets are attacked in the videos of ``action_set``, and so is ``linking`` of two videos, in the
    ``link_set`` where that is another. ``seconds`` adds what training and encoding took.
    """

    action_set: str = ""
    num_seen: int = Field(0, ge=0)
    known_share: float = Field(0.0, ge=0, lt=1)
    actions: bool = True
    picture_set: str = ""
    attributes: tuple[str, ...] = ()
    tested_set: str = ""
    novel_action_set: str = ""
    novel_attributes: tuple[str, ...] = ()
    private_tags: tuple[str, ...] = ()
    attribute_kind: Literal["temporal", "static"] = "static"
    graders: tuple[str, ...] = ("paper",)
    linking: bool = False
    link_set: str = ""
    seconds: bool = False


@dataclass(frozen=True, eq=False)
class ActionPrivacyArena(ActionArena, PublishedArena):
    """One cut of the actions, and the pictures."""

    features: FeatureSet
    labels: Labels
    seed: int
    options: ActionPrivacyOptions
    actions: ActionCut
    videos: BenchVideos | None = None
    novel: ActionCut | None = None
    events: dict[str, list[Segment]] | None = None

    @property
    def cut(self) -> dict[str, Any]:
        return super().cut | {"held_out": len(self.actions.held_out)}

    def grade(
        self, recipe: Recipe, row: Row, copies: Sequence[FeatureSet], *, seconds: float | None
    ) -> Entry:
        scores: dict[str, Score] = {}
        unmeasured: dict[str, str] = {}
        if self.options.attributes:
            scores |= self._attributes(recipe, copies, self.options.attributes)
        if self.options.novel_attributes:
            scores |= as_novel(self._attributes(recipe, copies, self.options.novel_attributes))
        attacked = of_set(self.labels, self.options.action_set)
        for column in self.options.private_tags:
            scores[column] = score_of_column(copies[0], attacked, column, better="low", seed=self.seed)
        scores |= secret_scores(recipe, copies, self.features, attacked, seed=self.seed)
        if self.options.linking:
            linked = of_set(self.labels, self.options.link_set or self.options.action_set)
            found = measure_linking(
                copies[0], self.features, linked, kind=self._kind_of(linked), seed=self.seed
            )
            scores |= found.scores
            unmeasured |= found.unmeasured
        if self.options.actions:
            scores |= self.actions.scores(copies[0], seed=self.seed)
        if self.novel is not None:
            scores |= as_novel(self.novel.scores(copies[0], seed=self.seed))
        if self.options.seconds:
            scores |= self._seconds(row, seconds)
        return entry_of(recipe, row, self, scores, unmeasured=unmeasured)

    def _seconds(self, row: Row, trained: float | None) -> dict[str, Score]:
        """What training took, and what encoding once takes for rows that train on stored features.

        A live row encodes every epoch, and one that rewrites videos trains on these, both within their training.
        """
        if self.videos is None:
            raise InputError(
                "data must hold videos to say what encoding takes, got none. Leave out `seconds`."
            )
        if trained is None:
            raise InputError(
                f"the training of {row.name!r} must have been timed, got one that was not. Give another output folder."
            )
        on_videos = row.live or row.pixels
        encoded = 0.0 if on_videos else self.videos.encoding_seconds(self.training_labels().videos("train"))
        names = {"core seconds, training": trained, "core seconds, encoding": encoded}
        names["core seconds"] = trained + encoded
        # The interval over people is that of the value: it does not depend on who is tested.
        return {
            name: Score(value, "low", value, value, by="the clock of the processor")
            for name, value in names.items()
        }

    def _attributes(
        self, recipe: Recipe, copies: Sequence[FeatureSet], names: Sequence[str]
    ) -> dict[str, Score]:
        pictures = _tested(of_set(self.labels, self.options.picture_set), self.options.tested_set)
        how: dict[str, Any] = {"kind": self.options.attribute_kind, "seed": self.seed}
        graded = graded_scores(
            copies[0], pictures, names, graders=self.options.graders, events=self.events, **how
        )
        best = attacked_score(copies, self.features, pictures, names, attacks=recipe.attacks, **how)
        return graded | {BEST_ATTACK: best}

    def _kind_of(self, labels: Labels) -> str:
        """The first kind of clip that these videos have."""
        kinds = set(self.features.of_videos(labels.video.tolist()).kind.tolist())
        return next(kind for kind in KINDS if kind in kinds)


def as_novel(scores: dict[str, Score]) -> dict[str, Score]:
    """The same scores in columns for what adapters never met."""
    return {f"novel {column}": score for column, score in scores.items()}


def _tested(labels: Labels, tested_set: str) -> Labels:
    """The labels without test pictures of other sets, where one is named."""
    if not tested_set:
        return labels
    wanted = np.isin(labels.video, of_set(labels, tested_set).video)
    return labels.only(labels.video[wanted | (labels.split != "test")])


class ActionPrivacy(BenchProtocol):
    """Actions, seen and unseen, against private attributes and identity."""

    name: ClassVar[str] = "action_privacy"
    about: ClassVar[str] = "actions against private attributes in pictures, identity and linking"
    Options: ClassVar[type[ActionPrivacyOptions]] = ActionPrivacyOptions

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> ActionPrivacyArena:
        options = self.Options.model_validate(recipe.options)
        actions = ActionCut.draw(
            of_set(data.labels, options.action_set),
            num_seen=options.num_seen,
            known_share=options.known_share,
            seed=seed,
        )
        novel = None
        if options.novel_action_set:
            novel = ActionCut.draw(of_set(data.labels, options.novel_action_set), seed=seed)
        return ActionPrivacyArena(
            data.features, data.labels, seed, options, actions, data.videos, novel, data.segments
        )


protocol = ActionPrivacy()
