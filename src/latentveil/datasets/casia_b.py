"""CASIA-B: people who walk, seen from eleven sides, in their usual clothes, with a bag, and in a coat."""

from __future__ import annotations

from itertools import product

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root

NUM_PEOPLE = 124
WALKS = {"nm": 6, "bg": 2, "cl": 2}  # usual clothes, a bag, a coat: how many walks of each
VIEWS = range(0, 181, 18)
GALLERY_WALKS = 4  # of the walks in usual clothes; the other walks are the probes


def _read(root: Root, _: DataSetSettings) -> Prepared:
    walks = [(condition, number) for condition, count in WALKS.items() for number in range(1, count + 1)]
    rows = []
    for person, (condition, number), view in product(range(1, NUM_PEOPLE + 1), walks, VIEWS):
        video = f"{person:03d}-{condition}-{number:02d}-{view:03d}"
        in_gallery = condition == "nm" and number <= GALLERY_WALKS
        labels = {"role": "gallery" if in_gallery else "probe", "condition": condition, "view": f"{view:03d}"}
        split = "train" if in_gallery else "test"
        rows.append(Row(video, root.video(video, ending=".avi"), split, f"{person:03d}", labels))
    return Prepared.from_rows(rows)


data_set = DataSet(
    name="casia_b",
    task="identity by gait",
    about="CASIA-B: walks from eleven sides; four in usual clothes are the gallery (train), the rest probes (test).",
    people="124 persons",
    size="13,640 videos",
    licence="research only, on request",
    source="www.cbsr.ia.ac.cn/english/Gait%20Databases.asp",
    layout=("001-nm-01-000.avi … 124-cl-02-180.avi: person, condition, walk, view; in any folder",),
    reader=_read,
    counts=lambda _: {"train": 5456, "test": 8184},
    unverified=("licence",),
)
