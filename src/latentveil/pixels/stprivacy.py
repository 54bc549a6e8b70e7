"""STPrivacy (Li et al., 2023): a video transformer that drops tubelets, against a reader of the secrets."""

from __future__ import annotations

from pydantic import Field

from latentveil.pixels.base import PixelMethod, TrainingVideos
from latentveil.pixels.learning import terms
from latentveil.pixels.learning.feed import Feed, Pairs, make_feed
from latentveil.pixels.learning.fit import TINY, make_fit, presets_of
from latentveil.pixels.learning.observers import build_readers
from latentveil.pixels.learning.settings import LearnedSettings, NetworkSection, TaskSection
from latentveil.pixels.learning.steps import Game


class ReaderSection(NetworkSection):
    """f_B, a video network that reads the secrets; ``weight`` of its loss, which f_A raises, and of the shares kept."""

    architecture: str = "vit"
    weight: float = Field(1.0, ge=0)
    shares: float = Field(2.0, ge=0)


class StprivacySettings(LearnedSettings):
    """Transformers of 12 blocks on 16 frames of 112 pixels; their training code is not public, its rates are ours."""

    anonymizer: NetworkSection = NetworkSection(architecture="tubelet_dropper")
    task: TaskSection = TaskSection(architecture="vit")
    reader: ReaderSection = ReaderSection()


def build_feed(videos: TrainingVideos, settings: StprivacySettings) -> Feed:
    """Clips of actions, and clips of other videos with their secrets."""
    return make_feed(videos, settings.clips, pairs=Pairs(clips=True), secrets=True)


def build_game(settings: StprivacySettings, feed: Feed) -> Game:
    """Minimise L_T - w L_B over f_A, L_B being the reader's cross-entropy, and keep the shares of tubelets."""
    chosen = settings.reader
    reader = (chosen.architecture, chosen.options)
    return Game(
        branch=lambda: build_readers([reader], classes=feed.secret_classes, clips=True),
        terms=(terms.Action(), terms.Budget(chosen.weight)),
        task_terms=(terms.Action(),),
        own_terms=(terms.TubeletShares(chosen.shares),),
    )


SMALL = {"frames": 8, "size": 64, "patch": 8, "width": 96, "depth": 4, "heads": 3}
TINY_STPRIVACY = (
    *TINY,
    *(f"anonymizer.options.{name}={value}" for name, value in SMALL.items()),
    "anonymizer.options.drop_every=2",
    "start.reconstruct_rate=0.001",
    *(f"reader.options.{name}={value}" for name, value in SMALL.items()),
)

pixel_method = PixelMethod(
    name="stprivacy",
    fit=make_fit(build_feed, build_game),
    about="A video transformer that drops tubelets, against a reader of the secrets; needs their labels (STPrivacy).",
    Settings=StprivacySettings,
    learned=True,
    oracle=True,
    # At the rate of the U-Nets its pictures lost their contrast from the start on, while the shares had no gradient
    # (seed 0). Rates were not compared since they have one.
    presets=presets_of("stprivacy", TINY_STPRIVACY, tables=("train.anonymizer_rate=0.0005",)),
)
