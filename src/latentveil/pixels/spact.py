"""SPAct (Dave et al., 2022): pixels trained against a self-supervised privacy branch, without labels of secrets."""

from __future__ import annotations

from latentveil.pixels.base import PixelMethod, TrainingVideos
from latentveil.pixels.learning.feed import Feed, make_feed
from latentveil.pixels.learning.fit import TINY_SELF_SUPERVISED, make_fit, pairs_of, presets_of
from latentveil.pixels.learning.observers import build_branch
from latentveil.pixels.learning.settings import LearnSection, SelfSupervisedSettings
from latentveil.pixels.learning.steps import Game
from latentveil.pixels.learning.terms import Action, Budget


class SpactSettings(SelfSupervisedSettings):
    """The paper's sizes: U-Net, R3D-18, ResNet-50, 16 frames of 112 pixels; its public code trains up to 300 epochs."""

    train: LearnSection = LearnSection(epochs=300)


def build_feed(videos: TrainingVideos, settings: SpactSettings) -> Feed:
    """Clips of actions, and pairs of frames of other videos."""
    return make_feed(videos, settings.clips, pairs=pairs_of(settings.budget))


def build_game(settings: SpactSettings, feed: Feed) -> Game:
    """Minimise L_T - w L_B over f_A, then L_T over f_T and L_B over f_B on the next batch (Eq. 7 to 9)."""
    budget = settings.budget
    return Game(
        branch=lambda: build_branch(budget),
        terms=(Action(), Budget(budget.weight)),
        task_terms=(Action(),),
        branch_frozen=budget.branch == "frozen",
        stop_at=settings.stop.budget,
    )


pixel_method = PixelMethod(
    name="spact",
    fit=make_fit(build_feed, build_game),
    about="Pixels trained against a self-supervised privacy branch (SPAct).",
    Settings=SpactSettings,
    learned=True,
    presets=presets_of("spact", TINY_SELF_SUPERVISED),
)
