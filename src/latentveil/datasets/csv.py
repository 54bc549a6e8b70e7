"""Videos of one's own with a labels.csv of one's own."""

from __future__ import annotations

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared
from latentveil.datasets.own_labels import read_own_labels
from latentveil.datasets.root import Root


def _read(root: Root, _: DataSetSettings) -> Prepared:
    return read_own_labels(root)


data_set = DataSet(
    name="csv",
    task="whatever the columns are for: action, anomaly, detection, secrets",
    about="Your own videos with your own labels.csv.",
    people="the column person, and secrets in columns secret_…",
    size="yours",
    licence="yours",
    source="your own",
    layout=(
        "labels.csv: video, split (train, val or test), and if you have them path, person, recording, action, secret_…",
        "segments.csv, if there are events: video, start_seconds, end_seconds, label",
        "the files at path, or in any folder under the name in the column video, without extension",
    ),
    reader=_read,
)
