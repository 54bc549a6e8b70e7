"""Looking for files, checking a folder, and settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latentveil.datasets import DATA_SETS, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.errors import InputError
from latentveil.progress import Progress

# A label file and a video of each miniature that has such files, and how many videos its splits have.
BREAKABLE = {
    "ucf_crime": ("Anomaly_Train.txt", "Abuse/Abuse028_x264.mp4", {"train": 2, "test": 2}),
    "ucf101": (
        "ucfTrainTestlist/testlist01.txt",
        "UCF-101/Archery/v_Archery_g08_c01.avi",
        {"train": 1, "test": 1},
    ),
    "hmdb51": (
        "testTrainMulti_7030_splits/wave_test_split1.txt",
        "clap/Film_clap_u_nm_np1_ba_goo_0.avi",
        {"train": 51, "test": 51},
    ),
    "kinetics400": (
        "annotations/val.csv",
        "train/air_drumming/-3B32lodo2M_000059_000069.mp4",
        {"train": 1, "test": 1},
    ),
    "vispr_tables": ("vispr1_test.pkl", "train2017/2017_10000000.jpg", {"train": 1, "test": 1}),
    "pa_hmdb51": ("PrivacyAttributes/wave.json", "clap/Film_clap_u_nm_np1_ba_goo_0.avi", {"test": 51}),
    "vp_hmdb51": (
        "testTrainMulti_7030_splits/wave_test_split1.txt",
        "clap/Film_clap_u_nm_np1_ba_goo_0.avi",
        {"train": 51, "test": 51},
    ),
    "vp_ucf101": (
        "ucfTrainTestlist/testlist01.txt",
        "UCF-101/Archery/v_Archery_g08_c01.avi",
        {"train": 1, "test": 1},
    ),
    "p_hvu": ("HVU_Train_V1.0.csv", "val/cc_000005_000015.mp4", {"train": 1, "test": 1}),
}


@pytest.mark.parametrize("name", BREAKABLE)
def test_check_names_a_missing_split_file_a_missing_video_and_a_wrong_count(fill, tmp_path, name):
    label_file, video, counts = BREAKABLE[name]
    data_set = replace(DATA_SETS.get(name.removesuffix("_tables")), counts=lambda _: counts)
    root = fill(name, tmp_path)
    assert data_set.check(root).findings == []
    (root / label_file).unlink()
    (root / video).unlink()
    findings = {found.kind: found for found in data_set.check(root).findings}
    stem = label_file.rpartition("/")[2].split(".")[0]
    assert stem.split("_")[0] in findings["missing file"].where
    assert findings["missing video"].where.rpartition("/")[2].split(".")[0] in video
    assert "must be" in findings["wrong count"].text


ONE_LABEL_FILE = [
    ("thumos14", "annotations/thumos14.json", "test/video_test_0000004.mp4", {"train": 1, "test": 1}),
    ("urfd", "frames.csv", "adl-02-cam0.mp4", {"train": 6, "val": 2, "test": 2}),
    ("actors", "labels.csv", "videos/b.mp4", {"train": 1, "test": 1}),
    ("csv", "labels.csv", "x/2.mkv", {"train": 1, "test": 1}),
]
# Sets whose labels are in the names of the videos or beside each picture: there is no split file to be missing.
WITHOUT_A_LIST = ("ntu60", "toyota_smarthome", "casia_b", "vispr", "folder")


def test_every_reader_is_checked_one_way_or_the_other():
    checked = {name.removesuffix("_tables") for name in (*BREAKABLE, *(case[0] for case in ONE_LABEL_FILE))}
    assert checked | set(WITHOUT_A_LIST) == set(DATA_SETS.names())


def test_facts_from_memory_are_marked():
    own = {"actors", "csv", "folder"}
    for data_set in DATA_SETS.all():
        assert (data_set.name in own) != ("licence" in data_set.unverified)
    assert any("X-Sub" in fact for fact in DATA_SETS.get("ntu60").unverified)


@pytest.mark.parametrize(("name", "label_file", "video", "counts"), ONE_LABEL_FILE)
def test_check_of_sets_with_one_label_file(fill, tmp_path, name, label_file, video, counts):
    data_set = replace(DATA_SETS.get(name), counts=lambda _: counts)
    root = fill(name, tmp_path)
    assert data_set.check(root).findings == []
    (root / video).unlink()
    (missing,) = data_set.check(root).findings
    assert (missing.kind, missing.where.rpartition("/")[2]) == ("missing video", video.rpartition("/")[2])
    (root / label_file).unlink()
    findings = data_set.check(root).findings
    assert findings[0].kind == "missing file"
    assert label_file.endswith(findings[0].where)
    assert {found.where for found in findings[1:]} == set(counts)


def test_check_of_sets_without_a_list_knows_what_should_be_there(fill, tmp_path):
    root = fill("ntu60", tmp_path)
    (root / "nturgb+d_rgb" / "S001C002P003R001A004_rgb.avi").unlink()
    missing, wrong = [], []
    for found in DATA_SETS.get("ntu60").check(root).findings:
        (missing if found.kind == "missing video" else wrong).append(found)
    assert [found.where for found in missing] == ["S001C002P003R001A004_rgb.avi"]
    assert [found.text for found in wrong] == [
        "train must be 40320 videos, got 360.",
        "test must be 16560 videos, got 1080.",
    ]
    toyota = DATA_SETS.get("toyota_smarthome").check(fill("toyota_smarthome", tmp_path / "toyota"))
    assert [found.text for found in toyota.findings] == ["all must be 16115 videos, got 2."]


def test_check_of_walks_and_pictures_without_a_list(fill, tmp_path):
    for name in ("walks", "pictures"):
        (tmp_path / name).mkdir()
    root = fill("casia_b", tmp_path / "walks")
    walk = sorted(root.rglob("*-nm-01-*.avi"))[0]
    walk.unlink()
    (missing,) = (
        DATA_SETS.get("casia_b").check(root).findings
    )  # every walk is known beforehand, so counts are right
    assert missing.kind == "missing video"
    assert walk.stem in missing.where
    root = fill("vispr", tmp_path / "pictures")
    picture = sorted(root.rglob("2017_*.jpg"))[0]
    picture.unlink()
    findings = {found.kind: found for found in DATA_SETS.get("vispr").check(root).findings}
    assert picture.stem in findings["missing video"].where
    assert "must be" in findings["wrong count"].text


def test_progress_is_told(miniature):
    steps: list[Progress] = []
    DATA_SETS.get("hmdb51").check(miniature("hmdb51"), on_progress=steps.append)
    assert {step.stage for step in steps} == {"looking for files", "looking for videos"}
    assert (steps[-1].done, steps[-1].total) == (102, 102)


def test_a_video_is_found_by_its_folders_then_by_its_name(tmp_path):
    for name in ("a/run/1.mp4", "a/walk/1.mp4", "b/2.avi", "b/2.png", "c/film.v2.mkv", "d/3.mp4", "e/3.mp4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    root = Root(tmp_path)
    assert root.video("run/1", ending=".avi") == "a/run/1.mp4"
    assert root.video("elsewhere/2", ending=".mp4") == "b/2.avi"
    assert root.video("elsewhere/2", ending=".mp4", anywhere=False) == "elsewhere/2.mp4"
    assert root.video("film.v2", ending=".mp4") == "c/film.v2.mkv"
    with pytest.raises(InputError, match=r"3 must be there once, got d/3\.mp4 and e/3\.mp4"):
        root.video("3", ending=".mp4")
    lenient = Root(tmp_path, lenient=True)
    assert lenient.video("3", ending=".mp4") == "d/3.mp4"
    assert [found.kind for found in lenient.findings] == ["found twice"]


def test_what_is_no_folder_or_no_data_set_is_refused(tmp_path):
    with pytest.raises(InputError, match="root must be the folder of a data set"):
        DATA_SETS.get("ucf101").read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"must hold trainlist01\.txt, got no such file"):
        DATA_SETS.get("ucf101").read(tmp_path)
    with pytest.raises(InputError, match="must hold the data set toyota_smarthome, got no video of it"):
        DATA_SETS.get("toyota_smarthome").read(tmp_path)


def test_settings_that_a_data_set_does_not_have_are_refused(tmp_path):
    with pytest.raises(InputError, match="settings of ucf101 must be among split, got 'spilt'"):
        DATA_SETS.get("ucf101").read(tmp_path, spilt=1)
    with pytest.raises(InputError, match="settings of casia_b must be among none at all"):
        DATA_SETS.get("casia_b").check(tmp_path, seed=1)


def test_a_video_listed_twice_is_refused():
    with pytest.raises(InputError, match=r"listed once, got 'a' for x/a\.mp4 and y/a\.mp4"):
        Prepared.from_rows(
            [Row("a", "x/a.mp4", "train"), Row("b", "b.mp4", "test"), Row("a", "y/a.mp4", "test")]
        )
