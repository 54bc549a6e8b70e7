"""What each reader makes of its data set's true form: keys, splits, people, labels."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from latentveil.datasets import DATA_SETS
from latentveil.datasets.ntu60 import BIAS_MEN, BIAS_TEST, BIAS_WOMEN, FEMALE, Sample, split_of
from latentveil.datasets.pa_hmdb51 import most_frequent
from latentveil.errors import InputError
from latentveil.labels import Segment

needs_data = pytest.mark.skipif("LATENTVEIL_DATA" not in os.environ, reason="LATENTVEIL_DATA is not set")


def row_of(labels, video) -> dict[str, str]:
    optional = [] if labels.recording is None else ["recording"]
    return {name: str(labels.lookup(name, [video])[0]) for name in ("split", *optional, *labels.columns)}


def test_ucf101_has_three_splits_and_knows_recordings(miniature):
    first, second = (DATA_SETS.get("ucf101").read(miniature("ucf101"), split=split) for split in (1, "2"))
    video = "Archery/v_Archery_g08_c01"
    assert row_of(first.labels, video) == {"split": "train", "recording": "Archery_g08", "action": "Archery"}
    assert row_of(second.labels, video)["split"] == "test"
    assert first.files[video] == "UCF-101/Archery/v_Archery_g08_c01.avi"
    with pytest.raises(InputError, match="split must be at most 3, got '4'"):
        DATA_SETS.get("ucf101").read(miniature("ucf101"), split="4")


def test_hmdb51_leaves_out_what_its_split_does_not_use(miniature):
    prepared = DATA_SETS.get("hmdb51").read(miniature("hmdb51"))
    assert Counter(prepared.labels.split.tolist()) == {"train": 51, "test": 51}
    video = "shoot_gun/Film_shoot_gun_u_nm_np1_ba_goo_1"
    assert row_of(prepared.labels, video) == {"split": "test", "action": "shoot_gun"}


def test_kinetics_scores_on_validation_unless_told_otherwise(miniature, fill, tmp_path):
    kinetics = DATA_SETS.get("kinetics400")
    prepared = kinetics.read(miniature("kinetics400"))
    assert prepared.labels.videos("test") == ["0wR5jVB-WPk_000417_000427"]
    assert row_of(prepared.labels, "-3B32lodo2M_000059_000069")["action"] == "air drumming"
    with pytest.raises(InputError, match=r"must hold test\.csv"):
        kinetics.read(miniature("kinetics400"), validation_as="val")
    root = fill("kinetics400", tmp_path)
    (root / "test.csv").write_text("label,youtube_id,time_start,time_end,split\nzumba,zz,1,11,test\n")
    splits = kinetics.read(root, validation_as="val").labels
    assert (splits.videos("val"), splits.videos("test")) == (
        ["0wR5jVB-WPk_000417_000427"],
        ["zz_000001_000011"],
    )


def test_kinetics_lists_of_another_machine_are_found_by_name(miniature):
    prepared = DATA_SETS.get("kinetics400").read(miniature("kinetics400_lists"))
    assert prepared.files == {"a": "clips/air drumming/a.mp4", "b": "clips/b.mp4", "c": "clips/c.mp4"}
    assert prepared.labels.column("action").tolist() == ["0", "1", "1"]


def test_ntu_protocols(miniature):
    labels = DATA_SETS.get("ntu60").read(miniature("ntu60")).labels
    video = "S001C002P003R001A004_rgb"
    assert row_of(labels, video) == {
        "split": "test",
        "recording": "S001",
        "action": "A004",
        "camera": "2",
        "secret_gender": "0",
    }
    assert labels.lookup("person", [video]).tolist() == ["P003"]
    by_view = DATA_SETS.get("ntu60").read(miniature("ntu60"), protocol="xview").labels
    assert set(by_view.lookup("camera", by_view.videos("test"))) == {"1"}
    assert len(by_view.videos("train")) == 2 * len(by_view.videos("test"))


def test_ntu_bias_turns_one_action_round_and_is_mirrored():
    assert (len(BIAS_TEST & FEMALE), len(BIAS_TEST - FEMALE)) == (10, 10)
    assert BIAS_WOMEN <= FEMALE
    assert not BIAS_MEN & FEMALE
    for action in (4, 5):
        people = {
            protocol: {p for p in range(1, 41) if split_of(Sample(1, 1, p, 1, action), protocol) == "train"}
            for protocol in ("bias_f", "bias_m")
        }
        women_act = people["bias_f"] if action == 4 else people["bias_m"]
        men_act = people["bias_m"] if action == 4 else people["bias_f"]
        assert women_act == (BIAS_WOMEN - {39}) | {10}
        assert men_act == (BIAS_MEN - {10}) | {39}


def test_toyota_names_tell_activity_person_and_camera(miniature):
    labels = DATA_SETS.get("toyota_smarthome").read(miniature("toyota_smarthome")).labels
    video = "Cook.Cleandishes_p02_r00_v02_c03"
    assert row_of(labels, video) == {
        "split": "test",
        "action": "Cook.Cleandishes",
        "camera": "3",
        "secret_gender": "1",
    }
    assert labels.person.tolist() == ["p02", "p03"]


def test_casia_gallery_is_the_first_four_usual_walks(miniature):
    labels = DATA_SETS.get("casia_b").read(miniature("casia_b")).labels
    assert Counter(labels.column("role").tolist()) == {"gallery": 124 * 4 * 11, "probe": 124 * 6 * 11}
    assert row_of(labels, "007-nm-05-090") == {
        "split": "test",
        "role": "probe",
        "condition": "nm",
        "view": "090",
    }
    assert DATA_SETS.get("casia_b").check(miniature("casia_b")).findings == []


def test_vispr_reads_pictures_and_tables(miniature):
    pictures = DATA_SETS.get("vispr").read(miniature("vispr")).labels
    assert pictures.lookup("a4_gender", ["2017_10000000"]).tolist() == ["1"]
    assert pictures.split.tolist() == ["train", "val", "test"]
    assert "a16_race" in DATA_SETS.get("vispr").read(miniature("vispr"), subset=2).labels.secrets
    tables = DATA_SETS.get("vispr").read(miniature("vispr_tables")).labels
    assert tables.lookup("a65_rel_soci", ["2017_10000000", "2017_10000001"]).tolist() == ["0", "1"]


def test_pa_hmdb51_takes_what_most_frames_show_and_keeps_the_ranges(miniature):
    prepared = DATA_SETS.get("pa_hmdb51").read(miniature("pa_hmdb51"))
    video = "clap/Film_clap_u_nm_np1_ba_goo_0"
    assert row_of(prepared.labels, video) == {
        "split": "test",
        "action": "clap",
        "secret_skin_color": "4",
        "secret_relationship": "0",
        "secret_face": "2",
        "secret_nudity": "1",
        "secret_gender": "3",
    }
    assert Segment(60 / 30, 100 / 30, "face=0") in prepared.segments[video]
    assert most_frequent([(0, 9, 5), (5, 14, 5), (15, 29, 1)]) == 1, "frames in two ranges count once"


def test_private_attributes_join_the_official_split(miniature):
    hmdb = DATA_SETS.get("vp_hmdb51").read(miniature("vp_hmdb51")).labels
    assert hmdb.secrets == ["face", "skin_color", "gender", "nudity", "relationship"]
    assert Counter(hmdb.split.tolist()) == {"train": 51, "test": 51}
    ucf = DATA_SETS.get("vp_ucf101").read(miniature("vp_ucf101")).labels
    assert row_of(ucf, "Archery/v_Archery_g08_c01") == {
        "split": "train",
        "recording": "Archery_g08",
        "action": "Archery",
        "secret_face": "1",
        "secret_skin_color": "0",
        "secret_gender": "1",
        "secret_nudity": "0",
        "secret_relationship": "0",
    }


def test_p_hvu_keeps_videos_with_all_kinds_and_tags_of_validation(miniature):
    labels = DATA_SETS.get("p_hvu").read(miniature("p_hvu")).labels
    assert labels.video.tolist() == ["aa_000000_000010", "cc_000005_000015"]
    assert row_of(labels, "aa_000000_000010") == {
        "split": "train",
        "action": "running",
        "object": "dog",
        "scene": "beach",
    }


def test_folder_takes_splits_from_folders_or_draws_them_in_each_class(miniature, tmp_path):
    drawn = DATA_SETS.get("folder").read(miniature("folder"), seed=3).labels
    assert len(drawn.video) == 10, "a file outside the classes is no video"
    for action in ("run", "walk"):
        assert Counter(drawn.split[drawn.column("action") == action].tolist()) == {
            "train": 3,
            "val": 1,
            "test": 1,
        }
    for name in ("train/run/1.mp4", "test/walk/2.png"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    given = DATA_SETS.get("folder").read(tmp_path).labels
    assert given.video.tolist() == ["test/walk/2", "train/run/1"]
    assert given.column("action").tolist() == ["walk", "run"]


def test_csv_finds_files_by_path_or_by_key(miniature, tmp_path):
    prepared = DATA_SETS.get("csv").read(miniature("csv"))
    assert prepared.files == {"first": "x/1.mp4", "second": "x/2.mkv"}
    assert list(prepared.labels.columns) == ["secret_hat"]
    (tmp_path / "labels.csv").write_text("video,split\nrun/1,train\nwalk/1,test\n2.mp4,test\n")
    for name in ("clips/run/1.avi", "clips/walk/1.avi", "2.mp4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = DATA_SETS.get("csv").read(tmp_path).files
    assert found == {"run/1": "clips/run/1.avi", "walk/1": "clips/walk/1.avi", "2.mp4": "2.mp4"}
    (tmp_path / "segments.csv").write_text("video,start_seconds,end_seconds,label\nother,0,1,x\n")
    with pytest.raises(InputError, match=r"must be about videos of .*labels\.csv, got 'other'"):
        DATA_SETS.get("csv").read(tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "text", "words"),
    [
        ("ucf101", "ucfTrainTestlist/trainlist01.txt", "v_Archery.avi 1\n", "Class/v_Class_gXX_cYY"),
        ("ucf101", "ucfTrainTestlist/testlist01.txt", "Archery/v_Archery_g08_c01.avi\n", "listed once"),
        ("hmdb51", "testTrainMulti_7030_splits/wave_test_split1.txt", "a.avi 3\n", "0, 1 or 2"),
        ("kinetics400", "annotations/val.csv", "label,youtube_id\nzumba,zz\n", "must have label, youtube_id"),
        ("kinetics400", "annotations/val.csv", "alone\n", "a path and a label"),
        ("vispr", "train2017/2017_10000000.json", "{}", "list of labels"),
        ("vispr_tables", "vispr1_train.csv", "image,a4_gender\nx,1\n", "must have a column 'a17_color'"),
        (
            "vp_hmdb51",
            "vp_hmdb51.csv",
            "video,face,skin_color,gender,nudity,relationship\na,1,2,0,0,0\n",
            "0 or 1",
        ),
        (
            "pa_hmdb51",
            "PrivacyAttributes/wave.json",
            json.dumps({"a.avi": {"face": []}}),
            "first, last, value",
        ),
        ("pa_hmdb51", "PrivacyAttributes/wave.json", "{", "must be a JSON file"),
        ("pa_hmdb51", "PrivacyAttributes/wave.json", "[" * 100_000, "nested too deep"),
        ("p_hvu", "HVU_Val_V1.0.csv", "Tags,youtube_id\na,b\n", "must have the columns Tags"),
        ("p_hvu", "HVU_Val_V1.0.csv", "Tags,youtube_id,time_start,time_end\na,b,x,y\n", "whole seconds"),
        ("actors", "labels.csv", "video\na\n", "must have the columns video, split"),
    ],
)
def test_broken_label_files_are_refused_with_the_reason(fill, tmp_path, name, file, text, words):
    root = fill(name, tmp_path)
    (root / file).write_text(text)
    data_set = DATA_SETS.get(name.removesuffix("_tables"))
    with pytest.raises(InputError, match=words):
        data_set.read(root)
    assert any(found.kind == "unreadable" for found in data_set.check(root).findings)


@needs_data
@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("thumos14", "annotations/thumos14", {"train": 200, "val": 0, "test": 210}),
        ("ucf_crime", "annotations/ucfcrime", {"train": 1449, "val": 161, "test": 290}),
        ("pa_hmdb51", "annotations/pahmdb51", {"train": 0, "val": 0, "test": 515}),
        ("vispr", "annotations/vispr", {"train": 10000, "val": 0, "test": 8000}),
        ("urfd", "urfd", {"train": 42, "val": 14, "test": 14}),
        ("csv", "lsa64", {"train": 160, "val": 80, "test": 80}),
    ],
)
def test_true_label_files_have_the_counts_of_the_papers(name, folder, expected):
    check = DATA_SETS.get(name).check(Path(os.environ["LATENTVEIL_DATA"]) / folder)
    assert check.labelled == expected
    assert {found.kind for found in check.findings} <= {"missing video"}
