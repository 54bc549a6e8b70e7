"""HMDB51: actions, with three official splits in a file per action."""

from __future__ import annotations

from pathlib import PurePosixPath

from latentveil.datasets.base import DataSet, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.datasets.ucf101 import SplitSettings
from latentveil.errors import InputError

ACTIONS = (
    *("brush_hair", "cartwheel", "catch", "chew", "clap", "climb", "climb_stairs", "dive", "draw_sword"),
    *("dribble", "drink", "eat", "fall_floor", "fencing", "flic_flac", "golf", "handstand", "hit", "hug"),
    *("jump", "kick", "kick_ball", "kiss", "laugh", "pick", "pour", "pullup", "punch", "push", "pushup"),
    *("ride_bike", "ride_horse", "run", "shake_hands", "shoot_ball", "shoot_bow", "shoot_gun", "sit"),
    *("situp", "smile", "smoke", "somersault", "stand", "swing_baseball", "sword", "sword_exercise"),
    *("talk", "throw", "turn", "walk", "wave"),
)
COUNTS = {"train": 3570, "test": 1530}
SPLIT_OF_MARK = {"0": None, "1": "train", "2": "test"}


def read_split(root: Root, number: int) -> dict[str, str]:
    """The split of each video (``action/name``) by the 51 lists ``<action>_test_split<number>.txt``.

    A line is a file and a mark: 1 to train on, 2 to test on, 0 in neither, which is left out here.
    """
    found: dict[str, str] = {}
    for action in ACTIONS:
        name = f"{action}_test_split{number}.txt"
        for line in root.lines(name):
            file, _, mark = line.rpartition(" ")
            if mark not in SPLIT_OF_MARK or not file:
                raise InputError(f"{name}: a line must be a file and 0, 1 or 2, got {line!r}.")
            video = f"{action}/{PurePosixPath(file.strip()).stem}"
            if video in found:
                raise InputError(f"{name}: every video must be listed once, got {video!r} twice.")
            split = SPLIT_OF_MARK[mark]
            if split is not None:
                found[video] = split
    return found


def _read(root: Root, settings: SplitSettings) -> Prepared:
    return Prepared.from_rows(
        Row(video, root.video(video, ending=".avi"), split, labels={"action": video.split("/")[0]})
        for video, split in read_split(root, settings.split).items()
    )


data_set = DataSet(
    name="hmdb51",
    task="action",
    about="HMDB51: 51 actions in clips of films and web videos.",
    people="not named",
    size="6,766 videos, of which each of three splits takes 3,570 to train on and 1,530 to test on",
    licence="CC BY 4.0; the clips are cut from films",
    source="serre-lab.clps.brown.edu/resource/hmdb-a-large-human-motion-database",
    layout=(
        "testTrainMulti_7030_splits/brush_hair_test_split1.txt …: 51 files per split",
        "brush_hair/NAME.avi …",
    ),
    reader=_read,
    Settings=SplitSettings,
    counts=lambda _: COUNTS,
    unverified=("licence",),
)
