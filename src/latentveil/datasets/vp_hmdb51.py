"""VP-HMDB51: private attributes of the videos of HMDB51."""

from __future__ import annotations

from latentveil.datasets import hmdb51
from latentveil.datasets.base import DataSet, Prepared
from latentveil.datasets.private_actions import read_private_actions
from latentveil.datasets.root import Root
from latentveil.datasets.ucf101 import SplitSettings


def _read(root: Root, settings: SplitSettings) -> Prepared:
    splits = hmdb51.read_split(root, settings.split)
    return read_private_actions(
        root, "vp_hmdb51", splits, labels_of=lambda video: {"action": video.split("/")[0]}
    )


data_set = DataSet(
    name="vp_hmdb51",
    task="action, privacy",
    about="VP-HMDB51: five private attributes for each video of HMDB51, under its three splits.",
    people="face, skin colour, gender, nudity, relationship: 1 where it can be seen",
    size="6,766 videos, of which each split takes 5,100",
    licence="see its repository; the clips are those of HMDB51",
    source="github.com/ming1993li/stprivacy",
    layout=("vp_hmdb51.csv, or the authors' file as vp_hmdb51.pickle", "all that hmdb51 needs"),
    reader=_read,
    Settings=SplitSettings,
    counts=lambda _: hmdb51.COUNTS,
    unverified=("licence",),
)
