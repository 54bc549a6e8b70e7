"""Recipes for the papers' own data run on what `veil datasets prepare` and `join` write, without a changed line."""

import itertools
import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from latentveil.bench.run import run_bench
from latentveil.datasets import DATA_SETS
from latentveil.datasets.hmdb51 import ACTIONS
from latentveil.datasets.join import join
from latentveil.datasets.prepare import prepare
from latentveil.datasets.vispr import ATTRIBUTES
from latentveil.labels import Labels, read_segments
from latentveil.types import FeatureSet

SHOWN = ("clap", "jump", "wave")  # actions of which there are videos
DIM = 24


def touch(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_hmdb51(root, *, train=20, test=6):
    for action in ACTIONS:
        names = [f"{action}_{number}.avi" for number in range(train + test)] if action in SHOWN else []
        lines = [f"{name} {1 if number < train else 2} \n" for number, name in enumerate(names)]
        touch(root / "splits" / f"{action}_test_split1.txt", "".join(lines) or "\n")
        for name in names:
            touch(root / action / name)
    return root


def write_pa_hmdb51(root):
    """Ten of the videos of each action are annotated, five of them training videos of HMDB51."""
    write_hmdb51(root)
    for action in ACTIONS:
        entries = {}
        for number in range(15, 25) if action in SHOWN else ():
            halves = [[0, 29, number % 2], [30, 59, 1 - number % 2]]
            face = [[first, last, 2 * value] for first, last, value in halves]
            entry = {
                "skin_color": halves,
                "relationship": halves,
                "face": face,
                "nudity": face,
                "gender": halves,
            }
            entries[f"{action}_{number}.avi"] = entry
        touch(root / "PrivacyAttributes" / f"{action}.json", json.dumps(entries))
    return root


def write_ucf101(root):
    for split, groups in (("train", range(1, 25)), ("test", range(25, 30))):
        names = [
            f"{action}/v_{action}_g{group:02d}_c01" for action in ("Archery", "Biking") for group in groups
        ]
        touch(root / f"{split}list01.txt", "".join(f"{name}.avi 1\n" for name in names))
        for name in names:
            touch(root / f"{name}.avi")
    keys = [path.relative_to(root).with_suffix(".mp4").as_posix() for path in sorted(root.rglob("*.avi"))]
    random = np.random.default_rng(2)
    rows = [f"{key},{','.join(map(str, random.integers(2, size=5)))}\n" for key in keys]
    touch(root / "vp_ucf101.csv", "video,face,skin_color,gender,nudity,relationship\n" + "".join(rows))
    return root


def write_vispr(root):
    random = np.random.default_rng(3)
    for split, count in (("train", 40), ("val", 10), ("test", 20)):
        for number in range(count):
            present = [name for name in ATTRIBUTES[0] if random.random() < 0.5]
            name = f"{split}2017/2017_{len(split)}{number:07d}"
            touch(root / f"{name}.json", json.dumps({"labels": present}))
            touch(root / f"{name}.jpg")
    return root


def write_ntu60(root):
    for person, action, camera in product(range(1, 41), (3, 4, 5), (1, 2, 3)):
        touch(root / f"S001C{camera:03d}P{person:03d}R001A{action:03d}_rgb.avi")
    return root


def write_toyota_smarthome(root):
    for person, action, repetition in product(
        (2, 3, 4, 6, 7, 9, 10, 12, 14, 18), ("Walk", "Cook.Cut"), range(6)
    ):
        touch(root / f"{action}_p{person:02d}_r{repetition:02d}_v01_c01.mp4")
    return root


def write_p_hvu(root):
    """Every video shows one or two tags of each kind."""
    kinds = {
        "Action": ("run", "jump", "climb"),
        "Object": ("dog", "hat", "ball"),
        "Scene": ("beach", "wood", "hall"),
    }
    lines = [f"{tag},{kind}" for kind, tags in kinds.items() for tag in tags]
    touch(root / "HVU_Tags_Categories_V1.0.csv", "\n".join(["Tag,Category", *lines, ""]))
    random = np.random.default_rng(4)
    for part, count in (("Train", 80), ("Val", 30)):
        rows = ["Tags,youtube_id,time_start,time_end"]
        for number in range(count):
            shown = [tag for tags in kinds.values() for tag in random.choice(tags, 2)]
            rows.append(f"{'|'.join(sorted(set(shown)))},{part}{number},0,10")
            touch(root / f"{part}{number}_000000_000010.mp4")
        touch(root / f"HVU_{part}_V1.0.csv", "\n".join([*rows, ""]))
    return root


WRITERS = {
    "p_hvu": write_p_hvu,
    "hmdb51": write_hmdb51,
    "pa_hmdb51": write_pa_hmdb51,
    "ucf101": write_ucf101,
    "vp_ucf101": write_ucf101,
    "vispr": write_vispr,
    "ntu60": write_ntu60,
    "toyota_smarthome": write_toyota_smarthome,
}


def with_features(folder, write_store):
    """Features beside the labels, which show every column of them, as stills and as clips of whole seconds."""
    labels = Labels.read(folder / "labels.csv")
    random = np.random.default_rng(0)
    shown = np.zeros((len(labels.video), DIM))
    for name, values in labels.columns.items():
        classes = np.unique(values, return_inverse=True)[1]
        vectors = random.normal(size=(classes.max() + 1, DIM))[classes] * (5 if name == "action" else 1)
        shown += np.where(values == "", 0, vectors.T).T
    rows = {
        video: shown[place] + 0.3 * random.normal(size=(2, DIM)) for place, video in enumerate(labels.video)
    }
    rows = {video: values.astype(np.float32) for video, values in rows.items()}
    features = FeatureSet.from_arrays(rows, stills=rows, stride_frames=30, fps=30.0)
    write_store(folder / "raw.store", replace(features, time=features.clip.astype(float)))
    return folder


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A function that prepares sets and joins them where there are several: (name, settings) each."""
    made, count = tmp_path_factory.mktemp("sets"), itertools.count()

    def make(*sets):
        folders = []
        for name, settings in sets:
            number = next(count)
            folders.append(made / f"{name}-{number}")
            root = WRITERS[name](made / f"{name}-{number}-root")
            prepare(DATA_SETS.get(name), root, folders[-1], **settings)
        if len(folders) == 1:
            return folders[0]
        joined = made / f"joined-{next(count)}"
        join(folders, joined)
        return joined

    return make


PA_HMDB51 = ("pa_hmdb51", {"split": 1, "attributes": "vispr1"})
OWN_DATA = {
    "table11": [PA_HMDB51, ("vispr", {})],
    "transfer": [("ucf101", {}), ("hmdb51", {}), ("vispr", {"subset": 0})],
    "vp_ucf101": [("vp_ucf101", {})],
    "phvu": [("p_hvu", {})],
    "bias_toyota": [("toyota_smarthome", {})],
    "bias_ntu_f": [("ntu60", {"protocol": "bias_f"})],
    "bias_ntu_m": [("ntu60", {"protocol": "bias_m"})],
}


SLOW = ("table11", "transfer")  # three graders of a hundred epochs for every row


@pytest.mark.parametrize("recipe", OWN_DATA)
def test_a_recipe_runs_on_its_own_data(recipe, prepared, write_store, tmp_path):
    folder = with_features(prepared(*OWN_DATA[recipe]), write_store)
    rows = ["raw"] if recipe in SLOW else ["raw", "veil"]
    found = run_bench(recipe, data=folder, output=tmp_path, seeds=1, only=rows, quick=True)
    assert found.num_missing == 0
    scores = found.entries[0]["scores"]
    asked = {one.column for claim in found.measured.claims for one in claim.comparisons}
    assert asked | set(found.measured.paper.columns) <= set(scores), (
        "claims and paper speak of what is measured"
    )
    for column in ("actions", "novel actions", "overall"):
        assert column not in scores or scores[column]["value"] > 0.9, "features show the action"
    for column in ("object", "scene"):
        assert column not in scores or scores[column]["value"] > scores[column]["chance"] + 0.2, (
            "and the tags"
        )


def test_what_is_learned_from_and_what_is_graded_do_not_mix(prepared):
    folder = prepared(PA_HMDB51, ("vispr", {}))
    labels = Labels.read(folder / "labels.csv")
    annotated = labels.column("set") == "pa_hmdb51"
    assert set(labels.split[annotated & (labels.column("a4_gender") != "")]) == {"test"}
    assert set(labels.split[annotated & (labels.column("a4_gender") == "")]) == {"train", "val"}
    assert (annotated & (labels.split == "test")).sum() == 30
    assert (annotated & (labels.split != "test")).sum() == 3 * 15, "five of twenty are annotated"
    events = {one.label for one in read_segments(folder / "segments.csv")["wave/wave_16"]}
    assert {"a9_face_complete=0", "a9_face_complete=1", "a10_face_partial=0"} <= events
