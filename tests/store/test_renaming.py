"""Videos leave the house under other names: drawn once, kept in a file, and nothing else changes."""

import h5py
import numpy as np
import pytest

import latentveil as lv
from latentveil.errors import InputError, Notice

VIDEOS = ["anna_sits", "anna_walks", "ben/sits"]


@pytest.fixture
def store(tmp_path, build):
    return build.store(tmp_path / "s", [VIDEOS[:2], VIDEOS[2:]])


def new_names(file):
    return dict(line.split(",") for line in file.read_text().splitlines()[1:])


def test_numbers_are_drawn_and_kept_and_hold_the_same_features(tmp_path, store):
    with pytest.warns(Notice, match="names.csv has the old and the new name of every video: keep it at home"):
        lv.export_features(store, npy=tmp_path / "out", rename=tmp_path / "names.csv")
    names = new_names(tmp_path / "names.csv")
    assert sorted(names) == VIDEOS
    assert sorted(names.values()) == ["v1", "v2", "v3"]
    written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.npy")}
    assert written == {f"{folder}v{number}.npy" for number in (1, 2, 3) for folder in ("", "static/")}
    for old, new in names.items():
        np.testing.assert_array_equal(
            np.load(tmp_path / f"out/{new}.npy"), store.video_array(old, "temporal")
        )


def test_the_same_file_gives_the_same_names_in_every_form(tmp_path, store):
    (tmp_path / "names.csv").write_text("video,name\nanna_sits,z\nanna_walks,a\nben/sits,m\nsomebody,x\n")
    lv.export_features(store, h5=tmp_path / "x.h5", rename=tmp_path / "names.csv")
    with h5py.File(tmp_path / "x.h5") as file:
        assert sorted(file) == ["a", "m", "z"]
    lv.export_features(store, npz=tmp_path / "x.npz", rename=tmp_path / "names.csv")
    with np.load(tmp_path / "x.npz") as columns:
        video = columns["video"].tolist()
        assert video == sorted(video)  # the old order would tell the old names
        rows = columns["feature"][(columns["video"] == "a") & (columns["kind"] == "temporal")]
    np.testing.assert_array_equal(rows, store.video_array("anna_walks", "temporal"))


def test_a_stopped_export_does_not_go_on_under_other_names(tmp_path, store):
    names = tmp_path / "names.csv"
    names.write_text("video,name\nanna_sits,z\nanna_walks,a\nben/sits,m\n")
    lv.export_features(store, npy=tmp_path / "out", rename=names)
    names.write_text("video,name\nanna_sits,a\nanna_walks,z\nben/sits,m\n")
    with pytest.raises(InputError, match="hold this very export, got something else"):
        lv.export_features(store, npy=tmp_path / "out", rename=names)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "video,name\nanna_sits,a\nanna_walks,b\n",
            "a name for every video, got none for 1, such as 'ben/sits'",
        ),
        ("video,name\nanna_sits,a\nanna_walks,a\nben/sits,b\n", "no two the same, got some twice"),
        (
            "video,name\nanna_sits,a\nanna_sits,c\nanna_walks,d\nben/sits,b\n",
            "no two the same, got some twice",
        ),
        ("video,name\nanna_sits,../a\nanna_walks,c\nben/sits,b\n", "must"),
        ("old,new\nanna_sits,a\n", "must have the columns video, name"),
    ],
)
def test_files_that_cannot_be_meant_are_refused(tmp_path, store, lines, said):
    (tmp_path / "names.csv").write_text(lines)
    with pytest.raises(InputError, match=said):
        lv.export_features(store, npy=tmp_path / "out", rename=tmp_path / "names.csv")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["npy", "as_store"])
def test_the_file_of_names_is_never_written_into_what_leaves_the_house(tmp_path, store, form):
    with pytest.raises(InputError, match=r"file of names must lie outside of .*out, which leaves the house"):
        lv.export_features(store, **{form: tmp_path / "out"}, rename=tmp_path / "out/deep/names.csv")
    assert not (tmp_path / "out").exists()
