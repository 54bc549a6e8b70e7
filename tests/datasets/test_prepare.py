"""What `prepare` writes: only what is there, and nothing over somebody else's files."""

from __future__ import annotations

import json

import pytest

from latentveil.datasets import DATA_SETS
from latentveil.datasets.prepare import prepare
from latentveil.errors import InputError
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import Labels, read_segments


def test_videos_without_a_file_are_left_out_unless_wanted(fill, tmp_path):
    root = fill("ucf_crime", tmp_path / "root")
    (root / "Abuse" / "Abuse028_x264.mp4").unlink()
    written = prepare(DATA_SETS.get("ucf_crime"), root, tmp_path / "there")
    assert (written.num_videos, written.num_missing) == (3, 1)
    assert [path.name for path in written.files] == ["labels.csv", "videos.csv"], (
        "the only event is not there"
    )
    keys = [video.video for video in collect_videos([tmp_path / "there"])]
    assert sorted(Labels.read(tmp_path / "there" / "labels.csv").video) == keys

    written = prepare(DATA_SETS.get("ucf_crime"), root, tmp_path / "all", keep_missing=True)
    assert (written.num_videos, written.num_missing) == (4, 1)
    assert set(read_segments(tmp_path / "all" / "segments.csv")) == {"Abuse028_x264"}
    assert len(collect_videos([tmp_path / "all"])) == 3


def test_labels_alone_are_written_only_on_demand(fill, tmp_path):
    root = tmp_path / "root"
    fill("thumos14", root)
    for path in root.rglob("*.mp4"):
        path.unlink()
    with pytest.raises(InputError, match=r"must hold videos of thumos14, got none of 2.*keep_missing=True"):
        prepare(DATA_SETS.get("thumos14"), root, tmp_path / "out")
    written = prepare(DATA_SETS.get("thumos14"), root, tmp_path / "out", keep_missing=True)
    assert [path.name for path in written.files] == ["labels.csv", "segments.csv"]


def test_a_second_run_replaces_the_first_and_notes_its_settings(miniature, tmp_path):
    out = tmp_path / "out"
    prepare(DATA_SETS.get("thumos14"), miniature("thumos14"), out)
    assert (out / "segments.csv").exists()
    prepare(DATA_SETS.get("ucf101"), miniature("ucf101"), out, split=2)
    assert not (out / "segments.csv").exists()
    assert json.loads((out / "dataset.json").read_text()) == {"data_set": "ucf101", "settings": {"split": 2}}
    assert Labels.read(out / "labels.csv").videos("test") == ["Archery/v_Archery_g08_c01"]


def test_other_files_are_not_overwritten_and_failures_leave_nothing(fill, tmp_path):
    root = fill("csv", tmp_path / "root")
    before = (root / "labels.csv").read_text()
    with pytest.raises(InputError, match="output must be a new folder"):
        prepare(DATA_SETS.get("csv"), root, root)
    assert (root / "labels.csv").read_text() == before
    with pytest.raises(InputError, match=r"must hold trainlist01\.txt"):
        prepare(DATA_SETS.get("ucf101"), root, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_paths_work_from_the_folder_when_both_are_moved(fill, tmp_path, monkeypatch):
    fill("folder", tmp_path / "before" / "root")
    monkeypatch.chdir(tmp_path / "before")
    prepare(DATA_SETS.get("folder"), "root", "out")
    (tmp_path / "before").rename(tmp_path / "after")
    videos = collect_videos([tmp_path / "after" / "out"])
    assert len(videos) == 10
    assert all(video.path.is_file() for video in videos)


def test_a_set_of_actions_without_videos_to_choose_on_gets_some_and_says_so(fill, tmp_path):
    """The official splits of most sets know train and test alone; heads and attacks are chosen on val."""
    root = tmp_path / "root"
    lines = [f"Archery/v_Archery_g{group:02d}_c0{clip}.avi" for group in range(1, 31) for clip in (1, 2)]
    for name, listed in (("trainlist01.txt", lines), ("testlist01.txt", ["Biking/v_Biking_g01_c01.avi"])):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("".join(f"{line} 1\n" for line in listed))
    ucf101 = DATA_SETS.get("ucf101")
    written = prepare(ucf101, root, tmp_path / "out", keep_missing=True)
    labels = Labels.read(tmp_path / "out" / "labels.csv")
    assert written.num_held_out == len(labels.videos("val")) == 6
    train, val = (set(labels.recording[labels.split == split]) for split in ("train", "val"))
    assert not train & val
    assert json.loads((tmp_path / "out" / "dataset.json").read_text())["val_share"] == 0.1
    assert prepare(ucf101, root, tmp_path / "all", keep_missing=True, val_share=0).num_held_out == 0
    with pytest.raises(InputError, match=r"val_share must be from 0 to 0\.5, got 0\.9"):
        prepare(ucf101, root, tmp_path / "none", keep_missing=True, val_share=0.9)


def test_sets_that_come_with_such_videos_or_without_actions_stay_as_they_are(miniature, tmp_path):
    for name in ("ucf_crime", "thumos14", "casia_b", "pa_hmdb51"):
        assert prepare(DATA_SETS.get(name), miniature(name), tmp_path / name).num_held_out == 0
