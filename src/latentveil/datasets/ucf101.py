"""UCF101: actions, with three official splits."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import Field

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.errors import InputError

COUNTS = {
    1: {"train": 9537, "test": 3783},
    2: {"train": 9586, "test": 3734},
    3: {"train": 9624, "test": 3696},
}


class SplitSettings(DataSetSettings):
    """``split`` is the official split to take."""

    split: int = Field(1, ge=1, le=3)


def read_split(root: Root, number: int) -> dict[str, str]:
    """The split of each video (``Class/v_Class_g01_c01``) by the lists `trainlist01.txt` and `testlist01.txt`.

    A line is ``Class/v_Class_g01_c01.avi``, in the training lists followed by the class's number.
    """
    found: dict[str, str] = {}
    for split in ("train", "test"):
        name = f"{split}list{number:02d}.txt"
        for line in root.lines(name):
            video = PurePosixPath(line.split()[0]).with_suffix("").as_posix()
            if "/" not in video or "_g" not in video:
                raise InputError(f"{name}: a line must be Class/v_Class_gXX_cYY.avi, got {line!r}.")
            if video in found:
                raise InputError(f"{name}: every video must be listed once, got {video!r} twice.")
            found[video] = split
    return found


def labels_of(video: str) -> dict[str, str]:
    """What a video's key says: its class, and the group of clips that were cut from one recording."""
    action, _, name = video.rpartition("/")
    group = name.rsplit("_g", 1)[1].split("_")[0]
    return {"recording": f"{action}_g{group}", "action": action}


def _read(root: Root, settings: SplitSettings) -> Prepared:
    return Prepared.from_rows(
        Row(video, root.video(video, ending=".avi"), split, labels=labels_of(video))
        for video, split in read_split(root, settings.split).items()
    )


data_set = DataSet(
    name="ucf101",
    task="action",
    about="UCF101: 101 actions in clips of web videos; clips of one group share the recording.",
    people="not named; the group says which clips were cut from one recording",
    size="13,320 videos, three splits",
    licence="none stated; research use",
    source="www.crcv.ucf.edu/data/UCF101.php",
    layout=(
        "ucfTrainTestlist/trainlist01.txt, testlist01.txt (02 and 03 for the other splits)",
        "UCF-101/ApplyEyeMakeup/v_ApplyEyeMakeup_g01_c01.avi …",
    ),
    reader=_read,
    Settings=SplitSettings,
    counts=lambda settings: COUNTS[settings.split],
    unverified=(
        "licence",
        "the counts of splits 2 and 3",
    ),
)
