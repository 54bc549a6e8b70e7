"""TeD-SPAD (Fioresi et al., 2023): SPAct whose f_T also keeps moments of a video apart by a temporal triplet."""

from __future__ import annotations

from pydantic import Field

from latentveil.config import Section
from latentveil.pixels.base import PixelMethod, TrainingVideos
from latentveil.pixels.learning import terms
from latentveil.pixels.learning.feed import Feed, make_feed
from latentveil.pixels.learning.fit import TINY_SELF_SUPERVISED, make_fit, pairs_of, presets_of
from latentveil.pixels.learning.observers import build_branch
from latentveil.pixels.learning.settings import (
    ClipSection,
    LearnSection,
    NetworkSection,
    SelfSupervisedSettings,
    TaskSection,
)
from latentveil.pixels.learning.steps import Game


class UtilitySection(Section):
    """``weight`` times (cross-entropy + ``triplet`` times the triplet loss) on ``projected`` numbers a clip."""

    weight: float = Field(0.7, ge=0)
    triplet: float = Field(0.1, ge=0)
    margin: float = Field(1.0, ge=0)
    projected: int = Field(128, ge=1)


class TedspadSettings(SelfSupervisedSettings):
    """The paper's sizes: UNet++ on a ResNet-18, I3D, ResNet-50, 224 pixels, and its small learning rates."""

    anonymizer: NetworkSection = NetworkSection(architecture="unetpp")
    task: TaskSection = TaskSection(architecture="i3d")
    clips: ClipSection = ClipSection(size=224)
    train: LearnSection = LearnSection(
        batch_size=8, privacy_batch_size=12, anonymizer_rate=0.4e-5, task_rate=1e-5, budget_rate=1e-5
    )
    utility: UtilitySection = UtilitySection()


def build_feed(videos: TrainingVideos, settings: TedspadSettings) -> Feed:
    """Clips of actions with two views of their moment and one of another, and pairs of frames of other videos."""
    return make_feed(videos, settings.clips, pairs=pairs_of(settings.budget), moments=True)


def build_game(settings: TedspadSettings, feed: Feed) -> Game:
    """Minimise 0.7 (L_T + 0.1 L_triplet) - L_B over f_A, then L_T + 0.1 L_triplet over f_T and L_B over f_B."""
    budget, utility = settings.budget, settings.utility
    triplet = terms.Triplet(utility.triplet, margin=utility.margin)
    weighed = terms.Triplet(utility.weight * utility.triplet, margin=utility.margin)
    return Game(
        branch=lambda: build_branch(budget),
        terms=(terms.Action(utility.weight), weighed, terms.Budget(budget.weight)),
        task_terms=(terms.Action(), triplet),
        branch_frozen=budget.branch == "frozen",
        stop_at=settings.stop.budget,
        projected=utility.projected,
    )


pixel_method = PixelMethod(
    name="tedspad",
    fit=make_fit(build_feed, build_game),
    about="SPAct with a temporal triplet that keeps moments apart (TeD-SPAD).",
    Settings=TedspadSettings,
    learned=True,
    presets=presets_of("tedspad", TINY_SELF_SUPERVISED),
)
