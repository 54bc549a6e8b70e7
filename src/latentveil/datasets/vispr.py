"""VISPR: pictures from the web with private attributes, in the two sets of seven that the papers use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import Field

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.binary_labels import read_binary_labels
from latentveil.datasets.root import Root, read_text
from latentveil.errors import InputError
from latentveil.files.json_files import parse_json
from latentveil.progress import Progress
from latentveil.video.frames import IMAGE_EXTENSIONS

ATTRIBUTES: dict[int, tuple[str, ...]] = {
    1: (
        *("a17_color", "a4_gender", "a9_face_complete", "a10_face_partial", "a12_semi_nudity"),
        *("a64_rel_personal", "a65_rel_soci"),
    ),
    2: (
        *("a6_hair_color", "a16_race", "a59_sports", "a1_age_approx", "a2_weight_approx"),
        *("a73_landmark", "a11_tattoo"),
    ),
}
ATTRIBUTES[0] = ATTRIBUTES[1] + ATTRIBUTES[2]
ANNOTATION = re.compile(r"(?:.*/)?(train|val|test)2017/2017_\d+\.json")
FILES_BETWEEN_NEWS = 500


class VisprSettings(DataSetSettings):
    """``subset`` is the set of attributes: 1 (VISPR1), 2 (VISPR2), or 0 for both."""

    subset: int = Field(1, ge=0, le=2)


def _read(root: Root, settings: VisprSettings) -> Prepared:
    """The annotations of single images where they are there, else a table per split."""
    annotations = [file for file in root.files if ANNOTATION.fullmatch(file)]
    if annotations:
        return Prepared.from_rows(_of_images(root, annotations, ATTRIBUTES[settings.subset]))
    return Prepared.from_rows(_of_tables(root, settings.subset))


def _of_images(root: Root, files: list[str], attributes: tuple[str, ...]) -> Iterator[Row]:
    """Files ``train2017/2017_….json`` of the form {"image_path": …, "labels": [a0_safe, …]}."""
    for number, file in enumerate(files, start=1):
        content = parse_json(read_text(root.path / file), path=file, what="a JSON file with a list of labels")
        try:
            present = set(content["labels"])
        except (KeyError, TypeError) as error:
            raise InputError(f"{file} must be a JSON file with a list of labels, got: {error}.") from error
        split, image = ANNOTATION.fullmatch(file)[1], PurePosixPath(file).stem  # type: ignore[index]
        labels = {f"secret_{name}": str(int(name in present)) for name in attributes}
        yield Row(image, _image(root, image, split), split, labels=labels)
        if number % FILES_BETWEEN_NEWS == 0 or number == len(files):
            root.on_progress(Progress("reading annotations", number, len(files)))


def _of_tables(root: Root, subset: int) -> Iterator[Row]:
    """Tables ``vispr1_train.csv`` and ``vispr1_test.csv``, or pickles of arrays with such names."""
    blank = {f"secret_{name}": "" for name in ATTRIBUTES[subset]}
    for split in ("train", "test"):
        found: dict[str, dict[str, str]] = {}
        for part in (subset,) if subset else (1, 2):
            for image, labels in _table(root, part, split).items():
                found[image] = found.get(image, blank) | labels
        for image, labels in found.items():
            yield Row(image, _image(root, image, split), split, labels=labels)


def _table(root: Root, subset: int, split: str) -> dict[str, dict[str, str]]:
    """The seven attributes of each picture of a split."""
    names = [f"vispr{subset}_{split}.csv"]
    names += [f"*vispr{subset}*{split}*.{form}" for form in ("csv", "pkl", "pickle")]
    names += [f"*{split}*.{form}" for form in ("pkl", "pickle") if subset == 1]
    return read_binary_labels(root, *names, attributes=ATTRIBUTES[subset])


def _image(root: Root, image: str, split: str) -> str:
    return root.video(f"{split}2017/{image}", ending=".jpg", extensions=IMAGE_EXTENSIONS)


data_set = DataSet(
    name="vispr",
    task="privacy of pictures",
    about="VISPR: pictures with private attributes; subset=1 (VISPR1) or 2 (VISPR2), seven each, or 0 for both.",
    people="private attributes of whoever is in the picture",
    size="22,167 pictures: 10,000 to train on, 4,167 for validation, 8,000 to test on",
    licence="annotations for research; the pictures stay their owners'",
    source="tribhuvanesh.github.io/vpa",
    layout=(
        "train2017/2017_12345678.json …, val2017/…, test2017/…: an annotation per picture",
        "or vispr1_train.csv and vispr1_test.csv (also .pkl with arrays of seven): one table per split",
        "train2017/2017_12345678.jpg …, val2017/…, test2017/…",
    ),
    reader=_read,
    Settings=VisprSettings,
    counts=lambda _: {"train": 10000, "test": 8000},
    unverified=("licence",),
)
