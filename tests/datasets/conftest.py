"""Every data set in small, in the true form of its files: each `fill_…` makes a whole little copy in a folder."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from latentveil.datasets.hmdb51 import ACTIONS

Fill = Callable[[Path], None]


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def write(root: Path, name: str, text: str) -> None:
    touch(root, name)
    (root / name).write_text(text)


def fill_thumos14(root: Path) -> None:
    event = {"label": "Diving", "segment": ["1.0", "2.5"], "label_id": 7}
    database = {
        "video_validation_0000051": {"subset": "Validation", "annotations": [event]},
        "video_test_0000004": {"subset": "Test", "annotations": []},
    }
    write(root, "annotations/thumos14.json", json.dumps({"database": database}))
    touch(root, "validation/video_validation_0000051.mp4", "test/video_test_0000004.mp4")


def fill_ucf_crime(root: Path) -> None:
    train = ["Abuse/Abuse001_x264.mp4", "Training_Normal_Videos_Anomaly/Normal_Videos001_x264.mp4"]
    write(root, "Anomaly_Train.txt", "\n".join(train) + "\n")
    write(
        root,
        "Temporal_Anomaly_Annotation_for_Testing_Videos.txt",
        "Abuse028_x264.mp4  Abuse  165  240  -1  -1  \nNormal_Videos_003_x264.mp4  Normal  -1  -1  -1  -1  \n",
    )
    touch(root, *(f"Anomaly-Videos-Part-1/{name}" for name in train))
    touch(root, "Abuse/Abuse028_x264.mp4", "Testing_Normal_Videos_Anomaly/Normal_Videos_003_x264.mp4")


def fill_urfd(root: Path) -> None:
    videos = [f"{kind}-{number:02d}-cam0" for kind in ("fall", "adl") for number in range(1, 6)]
    rows = [f"{video},{frame},{posture}" for video in videos for frame, posture in enumerate((-1, 0, 1), 1)]
    write(root, "frames.csv", "video,frame,posture\n" + "\n".join(rows) + "\n")
    touch(root, *(f"{video}.mp4" for video in videos))


def fill_actors(root: Path) -> None:
    write(root, "actors.json", "{}")
    write(root, "labels.csv", "video,split,person,action\na,train,ann,walk\nb,test,bob,run\n")
    write(root, "segments.csv", "video,start_seconds,end_seconds,label\na,0.5,1.0,walk\n")
    touch(root, "videos/a.mp4", "videos/b.mp4", "contact_sheet.png")


def fill_csv(root: Path) -> None:
    write(root, "labels.csv", "video,split,path,secret_hat\nfirst,train,x/1.mp4,0\nsecond,test,x/2.mkv,1\n")
    touch(root, "x/1.mp4", "x/2.mkv", "x/3.mp4")


def fill_folder(root: Path) -> None:
    touch(root, *(f"{name}/{number}.mp4" for name in ("run", "walk") for number in range(5)), "loose.mp4")


def fill_ucf101(root: Path) -> None:
    train, test = "Archery/v_Archery_g08_c01.avi", "HandstandPushups/v_HandStandPushups_g01_c01.avi"
    write(root, "ucfTrainTestlist/trainlist01.txt", f"{train} 3\n")
    write(root, "ucfTrainTestlist/testlist01.txt", f"{test}\r\n")
    write(root, "ucfTrainTestlist/trainlist02.txt", f"{test} 37\n")
    write(root, "ucfTrainTestlist/testlist02.txt", f"{train}\n")
    touch(root, f"UCF-101/{train}", f"UCF-101/{test}")


def fill_hmdb51(root: Path) -> None:
    for action in ACTIONS:
        names = [f"Film_{action}_u_nm_np1_ba_goo_{number}.avi" for number in range(3)]
        lines = [f"{name} {mark} \n" for name, mark in zip(names, (1, 2, 0))]
        write(root, f"testTrainMulti_7030_splits/{action}_test_split1.txt", "".join(lines))
        touch(root, *(f"{action}/{name}" for name in names))


def fill_kinetics400(root: Path) -> None:
    head = "label,youtube_id,time_start,time_end,split,is_cc\n"
    write(root, "annotations/train.csv", head + '"air drumming",-3B32lodo2M,59,69,train,0\n')
    write(root, "annotations/val.csv", head + "zumba,0wR5jVB-WPk,417,427,val,0\n")
    touch(root, "train/air_drumming/-3B32lodo2M_000059_000069.mp4", "val/zumba/0wR5jVB-WPk_000417_000427.mkv")


def fill_kinetics400_lists(root: Path) -> None:
    write(root, "train.csv", "clips/air drumming/a.mp4 0\n/another/machine/b.mp4 1\n")
    write(root, "val.csv", "clips/c.mp4 1\n")
    touch(root, "clips/air drumming/a.mp4", "clips/b.mp4", "clips/c.mp4")


def fill_ntu60(root: Path) -> None:
    for person, camera, repetition, action in product((1, 3, 10, 39), (1, 2, 3), (1, 2), range(1, 61)):
        touch(root, f"nturgb+d_rgb/S001C{camera:03d}P{person:03d}R{repetition:03d}A{action:03d}_rgb.avi")


def fill_toyota_smarthome(root: Path) -> None:
    touch(root, "mp4/Cook.Cleandishes_p02_r00_v02_c03.mp4", "mp4/Walk_p03_r01_v04_c05.mp4", "mp4/notes.mp4")


def fill_casia_b(root: Path) -> None:
    walks = [f"nm-{n:02d}" for n in range(1, 7)] + ["bg-01", "bg-02", "cl-01", "cl-02"]
    for person, walk, view in product(range(1, 125), walks, range(0, 181, 18)):
        path = root / f"{person:03d}-{walk}-{view:03d}.avi"
        path.touch()


def fill_vispr(root: Path) -> None:
    found = {"train": ["a4_gender", "a16_race"], "val": ["a0_safe"], "test": ["a17_color"]}
    for number, (split, labels) in enumerate(found.items()):
        name = f"{split}2017/2017_1000000{number}"
        annotation = {"id": f"2017_1000000{number}", "image_path": f"{name}.jpg", "labels": labels}
        write(root, f"{name}.json", json.dumps(annotation))
        touch(root, f"{name}.jpg")


def fill_vispr_tables(root: Path) -> None:
    names = (
        "a17_color,a4_gender,a9_face_complete,a10_face_partial,a12_semi_nudity,a64_rel_personal,a65_rel_soci"
    )
    write(root, "vispr1_train.csv", f"image,{names}\n2017_10000000,1,1,0,0,0,0,0\n")
    labels = {"2017_10000001": np.array([0.0, 1, 0, 0, 0, 0, 1])}
    (root / "vispr1_test.pkl").write_bytes(pickle.dumps(labels))
    touch(root, "train2017/2017_10000000.jpg", "test2017/2017_10000001.jpg")


def fill_pa_hmdb51(root: Path) -> None:
    for action in ACTIONS:
        name = f"Film_{action}_u_nm_np1_ba_goo_0.avi"
        entry = {
            "skin_color": [[0, 9, 1], [10, 99, [2, 3]]],
            "relationship": [[0, 99, 0]],
            "face": [[0, 59, 2], [60, 99, 0]],
            "nudity": [[0, 99, 1]],
            "gender": [[0, 49, [1, 2]], [50, 59, 2], [60, 99, [0, 1]]],
            "review": True,
            "note": "",
        }
        write(root, f"PrivacyAttributes/{action}.json", json.dumps({name: entry}))
        touch(root, f"{action}/{name}")


def fill_vp_hmdb51(root: Path) -> None:
    fill_hmdb51(root)
    keys = [
        f"{action}/Film_{action}_u_nm_np1_ba_goo_{number}.mp4" for action in ACTIONS for number in range(3)
    ]
    rows = [f"{key},1,0,1,0,0" for key in keys]
    write(
        root, "vp_hmdb51.csv", "video,face,skin_color,gender,nudity,relationship\n" + "\n".join(rows) + "\n"
    )


def fill_vp_ucf101(root: Path) -> None:
    fill_ucf101(root)
    keys = ["Archery/v_Archery_g08_c01.mp4", "HandstandPushups/v_HandStandPushups_g01_c01.mp4"]
    (root / "vp_ucf101.pickle").write_bytes(pickle.dumps({key: np.array([[1, 0, 1, 0, 0]]) for key in keys}))


def fill_p_hvu(root: Path) -> None:
    tags = (
        "Tag,Category\nrunning,Action\nbarking,Action\ndog,Object\nhat,Object\nbeach,Scene\nsunny,Concept\n"
    )
    write(root, "HVU_Tags_Categories_V1.0.csv", tags)
    head = "Tags,youtube_id,time_start,time_end\n"
    write(
        root,
        "HVU_Train_V1.0.csv",
        head + "running|barking|dog|hat|beach|sunny,aa,0,10\nrunning|dog,bb,0,10\n",
    )
    write(root, "HVU_Val_V1.0.csv", head + "beach|dog|running,cc,5,15\n")
    touch(root, "train/aa_000000_000010.mp4", "val/cc_000005_000015.mp4")


MINIATURES: dict[str, Fill] = {
    name.removeprefix("fill_"): fill for name, fill in list(globals().items()) if name.startswith("fill_")
}


@pytest.fixture(scope="session")
def fill() -> Callable[[str, Path], Path]:
    """A function that makes the miniature of a data set in a folder, and gives the folder."""

    def make(name: str, root: Path) -> Path:
        MINIATURES[name](root)
        return root

    return make


@pytest.fixture(scope="session")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the folder of a miniature, made once for all tests that only read it."""
    made: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name)
            MINIATURES[name](made[name])
        return made[name]

    return get
