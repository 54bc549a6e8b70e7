"""VP-UCF101: private attributes of the videos of UCF101."""

from __future__ import annotations

from latentveil.datasets import ucf101
from latentveil.datasets.base import DataSet, Prepared
from latentveil.datasets.private_actions import read_private_actions
from latentveil.datasets.root import Root


def _read(root: Root, settings: ucf101.SplitSettings) -> Prepared:
    splits = ucf101.read_split(root, settings.split)
    return read_private_actions(root, "vp_ucf101", splits, labels_of=ucf101.labels_of)


data_set = DataSet(
    name="vp_ucf101",
    task="action, privacy",
    about="VP-UCF101: five private attributes for each video of UCF101, under its three splits.",
    people="face, skin colour, gender, nudity, relationship: 1 where it can be seen",
    size="13,320 videos",
    licence="see its repository; the clips are those of UCF101",
    source="github.com/ming1993li/stprivacy",
    layout=("vp_ucf101.csv, or the authors' file as vp_ucf101.pickle", "all that ucf101 needs"),
    reader=_read,
    Settings=ucf101.SplitSettings,
    counts=lambda settings: ucf101.COUNTS[settings.split],
    unverified=(
        "licence",
        "the counts of splits 2 and 3",
    ),
)
