"""Videos of one's own in a sub-folder per class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.datasets.splits import draw_splits
from latentveil.errors import InputError
from latentveil.labels import SPLITS
from latentveil.video.frames import IMAGE_EXTENSIONS, VIDEO_EXTENSIONS


class FolderSettings(DataSetSettings):
    """``seed`` draws the splits where no folders train, val and test say them."""

    seed: int = 0


def _read(root: Root, settings: FolderSettings) -> Prepared:
    files = [file for file in root.media(VIDEO_EXTENSIONS | IMAGE_EXTENSIONS) if "/" in file]
    tops = {file.split("/")[0] for file in files}
    if tops and tops <= set(SPLITS):
        return Prepared.from_rows(_row(file, *_split_and_class(file)) for file in files)
    classes = [file.split("/")[0] for file in files]
    return Prepared.from_rows(map(_row, files, _drawn(classes, seed=settings.seed), classes))


def _row(file: str, split: str, name: str) -> Row:
    return Row(PurePosixPath(file).with_suffix("").as_posix(), file, split, labels={"action": name})


def _split_and_class(file: str) -> tuple[str, str]:
    split, *classes, _ = file.split("/")
    if not classes:
        raise InputError(f"a file must be in the folder of its class, as {split}/CLASS/NAME, got {file}.")
    return split, classes[0]


def _drawn(classes: Sequence[str], *, seed: int) -> list[str]:
    names = np.array(classes, dtype=str)
    return draw_splits([names == name for name in np.unique(names)], seed=seed).tolist() if classes else []


data_set = DataSet(
    name="folder",
    task="action",
    about="Your own videos or images in a sub-folder per class.",
    people="not named",
    size="yours",
    licence="yours",
    source="your own",
    layout=(
        "CLASS/NAME.mp4 …: splits are drawn, 60 % train, 20 % val, 20 % test of each class",
        "or train/CLASS/NAME.mp4 …, val/…, test/…",
    ),
    reader=_read,
    Settings=FolderSettings,
)
