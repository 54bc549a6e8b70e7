"""Toyota Smarthome: daily life of elderly people; what a video shows is in its name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.video.frames import VIDEO_EXTENSIONS

NAME = re.compile(r"(?P<action>.+)_p(?P<person>\d+)_r(?P<repetition>\d+)_v(?P<view>\d+)_c(?P<camera>\d+)")
# The official cross-subject split.
TRAIN_PEOPLE = frozenset({3, 4, 6, 7, 9, 12, 13, 15, 17, 19, 25})
# As somebody looks to an annotator (list of the public code of SPLAVU).
FEMALE = frozenset({2, 4, 6, 7, 10, 11, 12, 13, 16, 19, 20, 25})


def _read(root: Root, _: DataSetSettings) -> Prepared:
    rows = []
    for file in root.media(VIDEO_EXTENSIONS):
        match = NAME.fullmatch(PurePosixPath(file).stem)
        if match:
            person = int(match["person"])
            labels = {
                "action": match["action"],
                "camera": str(int(match["camera"])),
                "secret_gender": str(int(person in FEMALE)),
            }
            split = "train" if person in TRAIN_PEOPLE else "test"
            rows.append(Row(PurePosixPath(file).stem, file, split, person=f"p{person:02d}", labels=labels))
    return Prepared.from_rows(rows)


data_set = DataSet(
    name="toyota_smarthome",
    task="action",
    about="Toyota Smarthome (trimmed): 31 activities of daily life in one flat; cross-subject split.",
    people="18 persons, perceived gender (12 women, 6 men)",
    size="16,115 videos",
    licence="research only, on request",
    source="project.inria.fr/toyotasmarthome",
    layout=("Activity.Sub_p02_r00_v02_c03.mp4 …, in any folder",),
    reader=_read,
    counts=lambda _: {"all": 16115},
    unverified=(
        "licence",
        "16,115 videos",
    ),
)
