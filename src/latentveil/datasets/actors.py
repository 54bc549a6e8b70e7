"""The embedded data set, as `veil actors` writes it."""

from __future__ import annotations

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared
from latentveil.datasets.own_labels import read_own_labels
from latentveil.datasets.root import Root


def _read(root: Root, _: DataSetSettings) -> Prepared:
    root.need("actors.json")
    images = root.find("images/*") is not None
    folder, ending = ("images", ".png") if images else ("videos", ".mp4")
    return read_own_labels(root, folder=f"{folder}/", ending=ending)


data_set = DataSet(
    name="actors",
    task="action, detection, anomaly, gait, bias or images: what it was written for",
    about="The embedded data set: drawn people who move, with everything about them known.",
    people="persons, and every attribute they were drawn with",
    size="as many videos as asked for",
    licence="that of Latentveil",
    source="made here, by: veil actors DIR",
    layout=(
        "actors.json",
        "labels.csv, and segments.csv where there are events",
        "videos/NAME.mp4 … or images/NAME.png …",
    ),
    reader=_read,
)
