"""The penalty-driven anonymizer (Aslam and Nasrollahi, 2025): SPAct with a limit to how far clips of actions change."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from latentveil.config import Section
from latentveil.errors import CollapsedTrainingError
from latentveil.notices import notify
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PixelMethod, TrainingVideos
from latentveil.pixels.learning import terms
from latentveil.pixels.learning.feed import Feed, make_feed
from latentveil.pixels.learning.fit import TINY_SELF_SUPERVISED, pairs_of, play, presets_of
from latentveil.pixels.learning.observers import build_branch
from latentveil.pixels.learning.settings import (
    BudgetSection,
    ClipSection,
    LearnSection,
    NetworkSection,
    SelfSupervisedSettings,
    TaskSection,
)
from latentveil.pixels.learning.steps import Game
from latentveil.progress import OnProgress, silent


class PenaltySection(Section):
    """lambda max(0, RMS(X - f_A(X)) - B): ``weight`` is lambda, ``bound`` is B.

    The paper prints the hinge on pixels (Eq. 4) and speaks of features: ``space`` is either, features being f_T's.
    Pixels are in [0, 1] (``scale`` unit), where no RMS exceeds 1, or divided by ImageNet's standard deviations, where a
    bound of 0.7 or 0.9 can still act. A hinge that never acts, or always does, is refused at the end; ``idle=tell``
    only says it.
    """

    weight: float = Field(1.0, ge=0)
    bound: float = Field(0.3, ge=0)
    space: Literal["pixel", "feature"] = "pixel"
    scale: Literal["unit", "imagenet"] = "unit"
    idle: Literal["stop", "tell"] = "stop"


class PenaltySettings(SelfSupervisedSettings):
    """The paper's sizes: UNet++, I3D with Kinetics weights, ResNet-50, pairs 4 frames apart, 224 pixels."""

    anonymizer: NetworkSection = NetworkSection(architecture="unetpp")
    task: TaskSection = TaskSection(architecture="i3d")
    budget: BudgetSection = BudgetSection(min_distance=4, max_distance=4)
    clips: ClipSection = ClipSection(size=224, skip=4)
    train: LearnSection = LearnSection(batch_size=8, privacy_batch_size=8)
    penalty: PenaltySection = PenaltySection()


def build_feed(videos: TrainingVideos, settings: PenaltySettings) -> Feed:
    """Clips of actions, and pairs of frames of other videos."""
    return make_feed(videos, settings.clips, pairs=pairs_of(settings.budget))


def build_game(settings: PenaltySettings, feed: Feed) -> Game:
    """Minimise L_T - L_B + lambda L_penalty over f_A (Eq. 3), then as SPAct."""
    budget, chosen = settings.budget, settings.penalty
    hinge = terms.Penalty(chosen.weight, chosen.bound, space=chosen.space, scale=chosen.scale)
    return Game(
        branch=lambda: build_branch(budget),
        terms=(terms.Action(), terms.Budget(budget.weight), hinge),
        task_terms=(terms.Action(),),
        branch_frozen=budget.branch == "frozen",
        stop_at=settings.stop.budget,
    )


def fit(
    videos: TrainingVideos,
    settings: PenaltySettings,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = silent,
) -> PixelAnonymizer:
    """Train f_A in this game, and look at the hinge when it is over."""
    chosen, feed = settings.penalty, build_feed(videos, settings)
    game = build_game(settings, feed)
    told = settings.model_copy(update={"penalty": chosen.model_copy(update={"idle": "stop"})})
    anonymizer, watch = play(game, feed, videos, told, folder=folder, on_progress=on_progress)
    try:
        watch.refuse_idle_hinge(chosen.bound)
    except CollapsedTrainingError as idle:
        if chosen.idle == "stop":
            raise
        notify(str(idle))
    return anonymizer


# UNet++ works at half the size: at 64 pixels it gives its input back so badly that a bound leaves it little room.
TINY_PENALTY = ("anonymizer.architecture=unet", *TINY_SELF_SUPERVISED, "penalty.bound=0.1")

pixel_method = PixelMethod(
    name="penalty",
    fit=fit,
    about="SPAct with a limit to how far clips of actions may change (penalty-driven).",
    Settings=PenaltySettings,
    learned=True,
    presets=presets_of("penalty", TINY_PENALTY, tables=("penalty.idle=tell",)),
)
