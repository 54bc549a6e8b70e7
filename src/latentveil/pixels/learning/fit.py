"""What the files of the learned systems share: run a game on training videos, with a folder to go on from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from latentveil.files.run_folder import RunFolder
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import FitPixels, TrainingVideos
from latentveil.pixels.learning.feed import Feed, Pairs
from latentveil.pixels.learning.minimax import train
from latentveil.pixels.learning.settings import BudgetSection, LearnedSettings
from latentveil.pixels.learning.steps import Game
from latentveil.pixels.learning.watch import Watch
from latentveil.progress import OnProgress, silent

Changes = tuple[str, ...]  # of settings, as `--set` takes them


def play(
    game: Game,
    feed: Feed,
    videos: TrainingVideos,
    settings: LearnedSettings,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = silent,
) -> tuple[PixelAnonymizer, Watch]:
    """Train, going on from a checkpoint in ``folder``: at a constant rate, also from one of fewer epochs."""
    run = None
    if folder:
        goes_on = {"epochs"} if settings.train.schedule == "constant" else set()
        made_from = settings.model_dump(mode="json", exclude={"train": goes_on})
        run = RunFolder(folder, settings=made_from, data=videos.fingerprint())
    return train(game, feed, settings, run=run, on_progress=on_progress)


def make_fit(build_feed: Callable[..., Feed], build_game: Callable[..., Game]) -> FitPixels:
    """The ``fit`` of a method: the feed ``build_feed(videos, settings)`` in the game ``build_game(settings, feed)``."""

    def fit(
        videos: TrainingVideos,
        settings: LearnedSettings,
        /,
        *,
        folder: Path | None = None,
        on_progress: OnProgress = silent,
    ) -> PixelAnonymizer:
        feed = build_feed(videos, settings)
        game = build_game(settings, feed)
        return play(game, feed, videos, settings, folder=folder, on_progress=on_progress)[0]

    return fit


def pairs_of(settings: BudgetSection) -> Pairs:
    """How the two views of a video for f_B are taken."""
    return Pairs(
        min_distance=settings.min_distance,
        max_distance=settings.max_distance,
        clips=settings.branch == "spatio-temporal",
    )


# A whole training on `veil actors` at 64 pixels in a few minutes on two cores, for any system. f_T is I3D with its
# Kinetics weights, of which the last layer alone learns: from scratch no network learns actions of so few clips.
TINY = (
    "task.architecture=i3d",
    "task.frozen=true",
    "clips.size=64",
    "clips.frames=8",
    "clips.skip=4",
    "clips.erase=0",
    "train.batch_size=12",
    "train.privacy_batch_size=24",
    "train.epochs=12",
    "train.anonymizer_rate=0.001",
    "train.task_rate=0.001",
    "train.budget_rate=0.001",
    "start.reconstruct_steps=60",
    "start.reconstruct_rate=0.01",
    "start.threshold=0.03",
    "start.players_epochs=12",
    "start.players_rate=0.002",
)
# The same with a small U-Net, and a small network for the privacy branch that needs no labels.
TINY_SELF_SUPERVISED = (
    *TINY,
    "anonymizer.options.width=8",
    "budget.options.depth=18",
    "budget.options.width=12",
    "budget.hidden=64",
    "budget.projected=32",
)
# For tables of many rows: half as long, and never stopped, so that a row that went wrong is seen in its numbers.
SHORT = (
    "train.batch_size=8",
    "train.epochs=5",
    "start.players_epochs=3",
    "health.patience=99",
    "health.min_contrast=0",
)
# The same until it rests. f_A begins nearer to its input and learns faster than the others: L_B then stands near
# its ceiling from the middle on. Rates do not fall, as in the papers: at falling ones f_B catches up at the end, and
# most trainings do not rest. The losses alone were looked at, of SPAct under seeds 0 to 2.
SETTLED = (
    *SHORT,
    "train.epochs=20",
    "train.anonymizer_rate=0.002",
    "start.reconstruct_steps=120",
    "start.threshold=0.01",
    "start.players_epochs=10",
)
# The same trainings, but what results is the average of f_A's weights over the last 50 steps, four epochs, or so: where
# the last step stops is luck. How far it reaches was chosen by what linear probes read from I3D features of people who
# were trained or validated on: of the penalty (B 0.3), seed 2, whose last step kept the least action.
AVERAGED = (*SETTLED, "train.average=0.98")


def presets_of(name: str, tiny: Changes, *, tables: Changes = ()) -> dict[str, Changes]:
    """The paper's sizes under the system's own ``name``, a ``tiny`` one, and three for ``tables`` of many rows."""
    return {
        name: (),
        "tiny": tiny,
        "short": (*tiny, *SHORT, *tables),
        "settled": (*tiny, *SETTLED, *tables),
        "averaged": (*tiny, *AVERAGED, *tables),
    }
