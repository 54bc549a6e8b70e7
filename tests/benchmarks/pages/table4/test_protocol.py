"""Table 4's protocol: which adapters, on which videos, graded by whom."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.pages.table4.protocol import (
    RAW,
    Grading,
    SubsetRow,
    TaskArena,
    all_subsets,
    attacked_rows,
    measure_row,
)
from latentveil.bench.readings import subjects_of
from latentveil.tasks.build import TASKS

CHANGES = ("erasure.keep=6", "erasure.noise=0", "erasure.window=1")


@pytest.fixture
def arena(mixed):
    """The mixed videos, one person to every pair of a split, with a secret that the appearance gives away."""
    person = np.array([f"{name[:-2]}{int(name[-2:]) // 2}" for name in mixed.labels.video])
    shown = [mixed.features.feature[mixed.features.video == name][:, 8].mean() for name in mixed.labels.video]
    columns = mixed.labels.columns | {"secret_look": np.where(np.array(shown) > 0, "1", "0")}
    labels = replace(mixed.labels, person=person, columns=columns)
    return TaskArena(mixed.features, labels, mixed.segments, TASKS)


def test_all_subsets_are_those_of_the_paper():
    found = all_subsets(("action", "detection", "anomaly"))
    assert len(found) == len(set(found)) == 8
    assert found[0] == ()
    assert found[-1] == ("action", "detection", "anomaly")
    assert [len(tasks) for tasks in found] == [0, 1, 1, 1, 2, 2, 2, 3]


def test_development_never_sees_a_test_video(arena):
    small = arena.development()
    tested = set(arena.labels.videos("test"))
    assert not tested & set(small.labels.video)
    assert not tested & set(small.features.video)
    assert set(small.labels.videos("test")) == set(arena.labels.videos("val"))
    people = [set(small.labels.only(small.labels.videos(split)).person) for split in ("train", "val")]
    assert people[0]
    assert people[1]
    assert not people[0] & people[1]


def test_adapters_are_fitted_without_test_videos(arena):
    test = arena.labels.videos("test")
    spoiled = np.where(np.isin(arena.features.video, test)[:, None], np.nan, arena.features.feature)
    row = SubsetRow("veil", ("action", "anomaly"), CHANGES)
    clean, other = (
        replace(arena, features=arena.features.with_feature(values.astype(np.float32))).fit(row)
        for values in (arena.features.feature, spoiled)
    )
    assert all((clean.state_dict()[name] == other.state_dict()[name]).all() for name in clean.state_dict())


def test_a_row_with_motion_can_do_without_tasks(arena):
    adapter = arena.fit(SubsetRow("veil", motion=True))
    assert adapter.architecture == "affine"
    assert SubsetRow("veil", ("action",), motion=True).key == "veil action+motion"


def test_attacks_read_all_stills_and_some_clips(arena):
    features = arena.features
    chosen = features.select(attacked_rows(features, 4))
    for video in features.videos[::9]:
        of_video = chosen.select(chosen.video == video)
        assert of_video.clip[of_video.kind == "temporal"].tolist() == [0, 5, 10, 15]
        assert (of_video.kind == "static").sum() == 2
    assert len(attacked_rows(features, 0)) == len(features)


def test_a_row_holds_every_task_and_secret(arena):
    grading = Grading(heads={"action": 2}, secrets=("look",), attacks=("lda",))
    arena = replace(arena, tasks=("action",))
    raw = measure_row(arena, SubsetRow(RAW), grading)
    safe = measure_row(arena, SubsetRow("veil", ("action",), CHANGES), grading)
    assert raw["fitted_for"] == []
    assert len(raw["tasks"]["action"]["values"]) == 2
    assert subjects_of(raw) == subjects_of(safe) == [("look", "temporal"), ("look", "static")]
    assert raw["tasks"]["action"]["values"][0] >= 0.9
    assert safe["tasks"]["action"]["values"][0] >= 0.9
    on_raw, on_safe = ([reading["attacks"]["lda"] for reading in entry["readings"]] for entry in (raw, safe))
    assert on_raw[1] > 0.8
    assert on_safe[0] < on_raw[0] - 0.1
