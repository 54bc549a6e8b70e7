"""Eight very small videos of two actions, and settings that train on them in seconds."""

import numpy as np
import pytest

from latentveil.labels import Labels
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings, training_videos
from latentveil.video.write import write_video

CLIPS = ("clips.size=32", "clips.frames=4", "clips.skip=1", "clips.erase=0.5")
TRAIN = (
    "train.epochs=2",
    "train.batch_size=4",
    "train.privacy_batch_size=4",
    "start.reconstruct_steps=3",
    "start.players_epochs=1",
    "health.patience=50",
    "health.min_contrast=0",  # batch norm has seen too little to show anything
)
TASK = ("task.architecture=r3d", "task.options.width=2")
BUDGET = (
    "budget.options.depth=18",
    "budget.options.width=2",
    "budget.hidden=8",
    "budget.projected=4",
)
TRANSFORMER = ("frames=4", "size=32", "patch=8", "width=12", "depth=2", "heads=2")
SMALLEST = {
    "spact": ("anonymizer.options.width=2", *TASK, *BUDGET),
    "penalty": ("anonymizer.options.width=2", *TASK, *BUDGET, "penalty.bound=0.2", "penalty.idle=tell"),
    "tedspad": ("anonymizer.options.width=2", *TASK, *BUDGET, "utility.projected=4"),
    "vita": (
        "anonymizer.options.width=2",
        *TASK,
        "ensemble.members=2",
        "ensemble.depth=18",
        "ensemble.width=2",
        "ensemble.small_width=4",
        "ensemble.updates=1",
        "ensemble.restart_every=1",
    ),
    "stprivacy": (
        *TASK,
        *(f"anonymizer.options.{option}" for option in TRANSFORMER),
        "anonymizer.options.drop_every=1",
        *(f"reader.options.{option}" for option in TRANSFORMER),
    ),
}


def settings_of(name, *changes):
    """The settings of a method at the smallest sizes."""
    method = PIXEL_METHODS.get(name)
    return choose_settings(method, None, [*CLIPS, *TRAIN, *SMALLEST[name], *changes])


@pytest.fixture(scope="session")
def little_videos(tmp_path_factory):
    """A folder with videos of a square that goes right or down, on a background that tells the secret."""
    folder = tmp_path_factory.mktemp("videos")
    (folder / "videos").mkdir()
    names = [f"v{number}" for number in range(8)]
    for number, name in enumerate(names):
        frames = np.full((8, 32, 32, 3), 60 + 120 * (number // 2 % 2), dtype=np.uint8)
        for time in range(8):
            top, left = (4, 3 * time) if number % 2 else (3 * time, 4)
            frames[time, top : top + 8, left : left + 8] = (200, 30 * number, 40)
        write_video(folder / "videos" / f"{name}.mp4", frames, fps=8)
    Labels(
        video=np.array(names),
        split=np.array(["train"] * 8),
        columns={
            "action": np.array(["down", "right"] * 4),
            "secret_background": np.array([str(number // 2 % 2) for number in range(8)]),
        },
    ).write(folder / "labels.csv")
    return folder


@pytest.fixture(scope="session")
def training(little_videos):
    """What a method may read of them, secrets included."""
    return training_videos(little_videos, little_videos / "labels.csv", tasks=("action",), secrets=True)
