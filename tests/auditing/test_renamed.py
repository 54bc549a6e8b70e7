"""A release under other names is audited by the file that holds them, which stays at home."""

from dataclasses import fields

import numpy as np
import pytest

import latentveil as lv
from latentveil.auditing.inputs import read_inputs
from latentveil.errors import InputError, Notice
from latentveil.types import FeatureSet


@pytest.fixture
def release(toy_folder, toy, tmp_path):
    """Stores of anonymized features under the raw and under drawn names, and the file of names."""
    lv.apply(lv.Adapter(dim=toy.features.dim), toy_folder / "raw", tmp_path / "safe", progress=False)
    safe, renamed, names = (tmp_path / name for name in ("safe", "renamed", "names.csv"))
    with pytest.warns(Notice, match="keep it at home"):
        lv.export_features(safe, as_store=renamed, rename=names, progress=False)
    return safe, renamed, names


def test_clips_are_compared_under_the_raw_names(toy_folder, release):
    safe, renamed, names = release
    raw, labels = toy_folder / "raw", toy_folder / "labels.csv"
    with pytest.warns(
        Notice, match=r"renamed keeps no checksum .* whether it comes from .*raw cannot be told"
    ):
        found = read_inputs(raw, renamed, labels=labels, rename=names)
    wanted = read_inputs(raw, safe, labels=labels)
    for column in fields(FeatureSet):
        np.testing.assert_array_equal(
            getattr(found.anonymized, column.name), getattr(wanted.anonymized, column.name)
        )
    assert found.made_by == wanted.made_by


def test_the_names_that_are_flagged_are_those_of_the_release(toy_folder, toy, release, tmp_path):
    telling = tmp_path / "telling.csv"
    rows = zip(toy.labels.video, toy.labels.person)
    telling.write_text("video,name\n" + "".join(f"{video},{person}-{video}\n" for video, person in rows))
    safe, renamed, names = release
    lv.export_features(safe, as_store=tmp_path / "told", rename=telling, progress=False)

    def flagged(store, file):
        found = lv.audit(
            toy_folder / "raw",
            store,
            toy_folder / "labels.csv",
            rename=file,
            secrets="identity",
            attacks=["lda"],
            tasks=None,
            recipient=None,
            progress=False,
        )
        return [flag.flag for flag in found.flags]

    assert "told_by_names" in flagged(tmp_path / "told", telling)
    assert "told_by_names" not in flagged(renamed, names)


def test_without_the_names_it_says_what_to_give(toy_folder, release):
    with pytest.raises(
        InputError, match=r"are missing\)\. If videos go by other names there, .* rename='names.csv'"
    ):
        read_inputs(toy_folder / "raw", release[1], labels=toy_folder / "labels.csv")


def test_another_file_of_names_is_refused(toy_folder, release):
    _, renamed, names = release
    names.write_text(names.read_text().replace(",v", ",w"))
    with pytest.raises(InputError, match=r"by its name in .*names\.csv, got none of 'w.* were renamed with"):
        read_inputs(toy_folder / "raw", renamed, labels=toy_folder / "labels.csv", rename=names)
    with pytest.raises(InputError, match="must be a CSV file, got nothing there"):
        read_inputs(
            toy_folder / "raw", renamed, labels=toy_folder / "labels.csv", rename=names.with_name("no.csv")
        )


def test_a_name_that_was_given_twice_is_refused(toy_folder, release):
    _, renamed, names = release
    first, second, *rest = names.read_text().splitlines()[1:]
    lines = ["video,name", first, f"{second.partition(',')[0]},{first.partition(',')[2]}", *rest]
    names.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="no two the same"):
        read_inputs(toy_folder / "raw", renamed, labels=toy_folder / "labels.csv", rename=names)
