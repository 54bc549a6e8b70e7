"""What every data set promises, on a miniature of each; and that the contract notices who breaks it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latentveil.datasets import DATA_SETS, DataSet, Prepared, Row
from latentveil.labels import Labels, Segment
from latentveil.testing import check_dataset

CASES = [
    *((name, name, {}) for name in DATA_SETS.names()),
    ("ucf101", "ucf101", {"split": 2}),
    ("kinetics400", "kinetics400_lists", {}),
    ("ntu60", "ntu60", {"protocol": "xview"}),
    ("ntu60", "ntu60", {"protocol": "bias_f"}),
    ("vispr", "vispr", {"subset": 2}),
    ("vispr", "vispr", {"subset": 0}),
    ("pa_hmdb51", "pa_hmdb51", {"attributes": "vispr1"}),
    ("vispr", "vispr_tables", {}),
]


@pytest.mark.parametrize(("name", "copy", "settings"), CASES)
def test_contract(miniature, name, copy, settings):
    check_dataset(name, miniature(copy), **settings)


def two_videos(root, _) -> Prepared:
    return Prepared.from_rows([Row("a", "a.mp4", "train"), Row("b", "b.mp4", "test")])


def broken_labels(root, _) -> Prepared:
    labels = Labels(video=np.array(["a", "a"]), split=np.array(["train", "test"]))
    return Prepared(labels, {"a": "a.mp4"})


def wrong_split(root, _) -> Prepared:
    return Prepared.from_rows([Row("a", "a.mp4", "holdout")])


def stray_segment(root, _) -> Prepared:
    return replace(two_videos(root, _), segments={"c": [Segment(0.0, 1.0, "x")]})


def lost_path(root, _) -> Prepared:
    return replace(two_videos(root, _), files={"a": "a.mp4"})


def no_file(root, _) -> Prepared:
    return Prepared.from_rows([Row("c", "c.mp4", "train")])


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (broken_labels, "key of its own"),
        (wrong_split, "splits must be among"),
        (stray_segment, "segments must be of videos"),
        (lost_path, "files must be those of the labels"),
        (no_file, "must have its file"),
    ],
)
def test_a_data_set_that_breaks_its_promise_is_noticed(tmp_path, reader, words):
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).touch()
    check_dataset(own(two_videos), tmp_path)
    with pytest.raises(AssertionError, match=words):
        check_dataset(own(reader), tmp_path)


def test_an_order_that_changes_is_noticed(tmp_path):
    calls = []

    def reader(root, _) -> Prepared:
        calls.append(1)
        return Prepared.from_rows([Row("a", "a.mp4", "train" if len(calls) % 2 else "test")])

    (tmp_path / "a.mp4").touch()
    with pytest.raises(AssertionError, match="reading twice must give the same split"):
        check_dataset(own(reader), tmp_path)


def own(reader) -> DataSet:
    facts = dict.fromkeys(("name", "task", "about", "people", "size", "licence", "source"), "mine")
    return DataSet(**facts, layout=("files",), reader=reader)


def test_the_page_of_the_documentation_is_up_to_date():
    from latentveil.datasets.page import render_page

    page = Path(__file__).parents[2] / "docs" / "datasets.md"
    assert page.read_text() == render_page(DATA_SETS.all()), (
        "run: veil datasets list --markdown > docs/datasets.md"
    )
