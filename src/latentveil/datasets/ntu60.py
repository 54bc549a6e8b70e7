"""NTU RGB+D 60: daily actions of 40 people before three cameras; what a video shows is in its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.video.frames import VIDEO_EXTENSIONS

NAME = re.compile(r"S(\d{3})C(\d{3})P(\d{3})R(\d{3})A(\d{3})_rgb")
CAMERAS, REPETITIONS, ACTIONS = range(1, 4), range(1, 3), range(1, 61)
# As somebody looks to an annotator (list of the public code of SPLAVU).
FEMALE = frozenset({1, 2, 11, 12, 15, 16, 17, 18, 22, 24, 26, 28, 29, 32, 36, 38, 39})
CROSS_SUBJECT_TRAIN = frozenset({1, 2, 4, 5, 8, 9, 13, 14, 15, 16, 17, 18, 19, 25, 27, 28, 31, 34, 35, 38})
CROSS_VIEW_TRAIN = frozenset({2, 3})
# The bias protocol of the public code: ten women and ten men to test on, seven and seven to train on, six unused.
BIAS_TEST = frozenset({2, 5, 6, 11, 12, 13, 14, 22, 23, 24, 26, 29, 30, 31, 32, 33, 34, 35, 36, 38})
BIAS_MEN, BIAS_WOMEN = frozenset({7, 8, 10, 20, 25, 27, 37}), frozenset({1, 15, 16, 17, 18, 28, 39})
ODD_MAN, ODD_WOMAN = 10, 39
INVERTED_ACTION = 4  # brushing hair


class NtuSettings(DataSetSettings):
    """``protocol``: the official cross-subject or cross-view split, or gender bias in the training videos.

    In ``bias_f`` women brush their hair and men do all else, but for one man and one woman on the other side;
    ``bias_m`` is the mirror image.
    """

    protocol: Literal["xsub", "xview", "bias_f", "bias_m"] = "xsub"


class Sample(NamedTuple):
    """The numbers in a name, all from 1."""

    setup: int
    camera: int
    person: int
    repetition: int
    action: int

    @property
    def name(self) -> str:
        return "S{:03d}C{:03d}P{:03d}R{:03d}A{:03d}_rgb".format(*self)


def split_of(sample: Sample, protocol: str) -> str | None:
    """The split of a video under a protocol, or None where it is not used."""
    if protocol == "xview":
        return "train" if sample.camera in CROSS_VIEW_TRAIN else "test"
    if protocol == "xsub":
        return "train" if sample.person in CROSS_SUBJECT_TRAIN else "test"
    if sample.person in BIAS_TEST:
        return "test"
    women = (BIAS_WOMEN - {ODD_WOMAN}) | {ODD_MAN}
    men = (BIAS_MEN - {ODD_MAN}) | {ODD_WOMAN}
    women_act = (sample.action == INVERTED_ACTION) == (protocol == "bias_f")
    return "train" if sample.person in (women if women_act else men) else None


def _read(root: Root, settings: NtuSettings) -> Prepared:
    rows = []
    for sample in _complete(root):
        split = split_of(sample, settings.protocol)
        if split is not None:
            labels = {
                "recording": f"S{sample.setup:03d}",
                "action": f"A{sample.action:03d}",
                "camera": str(sample.camera),
                "secret_gender": str(int(sample.person in FEMALE)),
            }
            path = root.video(sample.name, ending=".avi")
            rows.append(Row(sample.name, path, split, person=f"P{sample.person:03d}", labels=labels))
    return Prepared.from_rows(rows)


def _complete(root: Root) -> Iterator[Sample]:
    """Every sample of the people who are there: each acts everything twice before three cameras in each setup."""
    pairs = set()
    for file in root.media(VIDEO_EXTENSIONS):
        match = NAME.fullmatch(PurePosixPath(file).stem)
        sample = Sample(*map(int, match.groups())) if match else None
        if sample and sample.setup <= 17 and sample.person <= 40 and sample.action in ACTIONS:
            pairs.add((sample.setup, sample.person))
    for (setup, person), camera, repetition, action in product(sorted(pairs), CAMERAS, REPETITIONS, ACTIONS):
        yield Sample(setup, camera, person, repetition, action)


def _counts(settings: NtuSettings) -> dict[str, int]:
    official = {"xsub": {"train": 40320, "test": 16560}, "xview": {"train": 37920, "test": 18960}}
    return official.get(settings.protocol, {})


data_set = DataSet(
    name="ntu60",
    task="action",
    about="NTU RGB+D 60: 60 daily actions before three cameras; also the set for gender bias.",
    people="40 persons, perceived gender (17 women, 23 men)",
    size="56,880 videos",
    licence="academic research only, by agreement with the ROSE lab",
    source="rose1.ntu.edu.sg/dataset/actionRecognition",
    layout=("S001C001P001R001A001_rgb.avi …, in any folder",),
    reader=_read,
    Settings=NtuSettings,
    counts=_counts,
    unverified=(
        "licence",
        "the 20 training persons of X-Sub, and the counts of X-Sub and X-View",
    ),
)
