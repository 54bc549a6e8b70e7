"""Attributes of pictures and of frames by the same names, so that what learned from one can be read on the other."""

from collections import Counter

from latentveil.datasets import DATA_SETS
from latentveil.labels import Segment

from .test_readers import row_of


def test_pa_hmdb51_as_attributes_of_vispr_beside_training_videos_that_nobody_annotated(fill, tmp_path):
    root = fill("hmdb51", fill("pa_hmdb51", tmp_path))
    prepared = DATA_SETS.get("pa_hmdb51").read(root, split=1, attributes="vispr1")
    assert Counter(prepared.labels.split.tolist()) == {"test": 51}, "the only training video is annotated"
    names = (
        "a17_color",
        "a4_gender",
        "a9_face_complete",
        "a10_face_partial",
        "a12_semi_nudity",
        "a64_rel_personal",
    )
    assert prepared.labels.secrets == list(names)
    video = "clap/Film_clap_u_nm_np1_ba_goo_0"
    assert [row_of(prepared.labels, video)[f"secret_{name}"] for name in names] == [
        "1",
        "1",
        "1",
        "0",
        "0",
        "0",
    ]
    assert Segment(0.0, 60 / 30, "a9_face_complete=1") in prepared.segments[video]
    splits = root / "testTrainMulti_7030_splits" / "clap_test_split1.txt"
    splits.write_text("Film_clap_u_nm_np1_ba_goo_0.avi 1 \nFilm_clap_u_nm_np1_ba_goo_1.avi 1 \n")
    labels = DATA_SETS.get("pa_hmdb51").read(root, split=1).labels
    assert labels.videos("train") == ["clap/Film_clap_u_nm_np1_ba_goo_1"]
    assert row_of(labels, labels.videos("train")[0])["secret_gender"] == ""


def test_both_sets_of_vispr_can_be_read_at_once(miniature, fill, tmp_path):
    labels = DATA_SETS.get("vispr").read(miniature("vispr"), subset=0).labels
    assert len(labels.secrets) == 14
    assert labels.lookup("a16_race", ["2017_10000000"]).tolist() == ["1"]
    root = fill("vispr_tables", tmp_path)
    names = "a6_hair_color,a16_race,a59_sports,a1_age_approx,a2_weight_approx,a73_landmark,a11_tattoo"
    (root / "vispr2_train.csv").write_text(f"image,{names}\n2017_10000000,0,1,0,0,0,0,0\n")
    (root / "vispr2_test.csv").write_text(f"image,{names}\n2017_10000009,0,1,0,0,0,0,0\n")
    tables = DATA_SETS.get("vispr").read(root, subset=0).labels
    assert tables.lookup("a4_gender", ["2017_10000000", "2017_10000009"]).tolist() == ["1", ""]
    assert tables.lookup("a16_race", ["2017_10000000", "2017_10000001"]).tolist() == ["1", ""]
