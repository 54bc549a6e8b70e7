"""VITA (Wu et al., 2020): pixels trained to confuse an ensemble that reads the secrets, whose labels it needs."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from latentveil.config import Section
from latentveil.pixels.base import PixelMethod, TrainingVideos
from latentveil.pixels.learning import terms
from latentveil.pixels.learning.feed import Feed, Pairs, make_feed
from latentveil.pixels.learning.fit import TINY, make_fit, presets_of
from latentveil.pixels.learning.observers import build_readers
from latentveil.pixels.learning.settings import (
    LearnedSettings,
    LearnSection,
    NetworkSection,
    TaskSection,
)
from latentveil.pixels.learning.steps import Game


class EnsembleSection(Section):
    """The first ``members`` of: ResNet, a second ResNet, MobileNet, a MobileNet of three quarters of ``small_width``.

    ``weight`` is gamma. f_B gets ``updates`` batches for each one of f_A, and begins again every ``restart_every``
    epochs (0: never). f_T rests on batches of which it gets ``task_enough`` right.
    """

    members: int = Field(4, ge=1, le=4)
    depth: int = 50
    width: int = Field(64, ge=2)
    small_width: int = Field(32, ge=2)
    weight: float = Field(0.5, ge=0)
    updates: int = Field(5, ge=1)
    restart_every: int = Field(10, ge=0)
    task_enough: float = Field(0.7, gt=0, le=1)


class VitaSettings(LearnedSettings):
    """A small U-Net whose output has no colour, C3D, and an ensemble of image networks."""

    anonymizer: NetworkSection = NetworkSection(architecture="unet", options={"width": 16, "grey": True})
    task: TaskSection = TaskSection(architecture="c3d")
    train: LearnSection = LearnSection(batch_size=16, privacy_batch_size=64, task_rate=1e-5)
    ensemble: EnsembleSection = EnsembleSection()


def ensemble(settings: EnsembleSection) -> list[tuple[str, dict[str, Any]]]:
    """The name and the options of each of its first ``members``."""
    large = {"depth": settings.depth, "width": settings.width}
    smaller = {"width": max(2, settings.small_width * 3 // 4)}
    networks: list[tuple[str, dict[str, Any]]] = [
        ("resnet", large),
        ("resnet", large),
        ("mobilenet", {"width": settings.small_width}),
        ("mobilenet", smaller),
    ]
    return networks[: settings.members]


def build_feed(videos: TrainingVideos, settings: VitaSettings) -> Feed:
    """Clips of actions, and frames of other videos with their secrets."""
    return make_feed(videos, settings.clips, pairs=Pairs(), secrets=True)


def build_game(settings: VitaSettings, feed: Feed) -> Game:
    """Minimise L_T + gamma max_m H_m over f_A, H_m being observer m's cross-entropy to the uniform distribution."""
    chosen = settings.ensemble
    return Game(
        branch=lambda: build_readers(ensemble(chosen), classes=feed.secret_classes, clips=False),
        terms=(terms.Action(), terms.Confusion(chosen.weight)),
        task_terms=(terms.Action(),),
        players_batches=chosen.updates,
        task_enough=chosen.task_enough,
        restart_every=chosen.restart_every or None,
    )


TINY_VITA = (
    *TINY,
    "anonymizer.options.width=8",
    "ensemble.members=2",
    "ensemble.depth=18",
    "ensemble.width=12",
    "ensemble.small_width=8",
    "ensemble.updates=1",
    "ensemble.restart_every=4",
    "ensemble.task_enough=1",
)

pixel_method = PixelMethod(
    name="vita",
    fit=make_fit(build_feed, build_game),
    about="Pixels trained to confuse an ensemble that reads the secrets; needs their labels (VITA).",
    Settings=VitaSettings,
    learned=True,
    oracle=True,
    presets=presets_of("vita", TINY_VITA),
)
