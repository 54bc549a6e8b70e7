"""What reaches a method: training videos, tasks with validation videos, and secrets for oracles alone."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.methods.material import build_training_data, set_data
from latentveil.methods.plan import load_config
from latentveil.store import FeatureStore
from latentveil.store.sources import open_features


@pytest.mark.parametrize("method", ["splavu", "codebook", "leace"])
def test_test_videos_never_get_in(toy, method):
    data = build_training_data(toy.features, toy.labels, load_config(method=method))
    train, val = (set(toy.labels.videos(split)) for split in ("train", "val"))
    assert set(data.features.videos) == train
    assert set(data.tasks["action"].videos.features.videos) == train | val
    assert set(data.tasks["action"].videos.labels.video.tolist()) == train | val


def test_secrets_are_for_oracles_alone(toy):
    blind = build_training_data(toy.features, toy.labels, load_config(method="splavu"))
    oracle = build_training_data(toy.features, toy.labels, load_config(method="leace"))
    assert blind.labels is None
    assert oracle.labels.secrets == ["gender"]
    assert set(oracle.labels.video.tolist()) == set(toy.labels.videos("train"))
    for data in (blind, oracle):
        assert data.tasks["action"].videos.labels.secrets == []


def test_videos_without_labels_are_left_out(toy):
    some = toy.labels.only(toy.labels.video[:10])
    data = build_training_data(toy.features, some, load_config())
    assert set(data.features.videos) == set(some.videos("train"))


def test_motion_is_asked_for_among_the_tasks(toy):
    plan = load_config()
    assert not build_training_data(toy.features, toy.labels, plan).motion
    data = build_training_data(toy.features, toy.labels, plan, tasks=("motion",))
    assert data.motion
    assert data.tasks == {}


def test_the_method_decides_how_its_tasks_are_built(mixed):
    plan = load_config("paper", ["heads.anomaly=sultani", "train.clips_per_video=3"])
    data = build_training_data(
        mixed.features, mixed.labels, plan, tasks=("action", "anomaly"), segments=mixed.segments
    )
    assert data.tasks["action"].clips_per_video == 3
    assert type(data.tasks["anomaly"].config).__name__ == "SultaniConfig"


@pytest.mark.parametrize("preset", ["paper", "released"])
def test_presets_have_heads_of_the_published_size(mixed, preset):
    data = build_training_data(
        mixed.features,
        mixed.labels,
        load_config(preset),
        tasks=("action", "detection", "anomaly"),
        segments=mixed.segments,
    )
    detector, anomalies = data.tasks["detection"].config, data.tasks["anomaly"].config
    assert (detector.width, detector.num_levels, detector.num_bins, detector.batch_size) == (512, 6, 16, 2)
    assert (anomalies.dims, anomalies.depths) == ((64, 128, 1024), (3, 3, 2))
    if preset == "paper":
        assert (detector.normalisation, detector.iou_weight_power, detector.regression) == (
            "counts",
            1,
            "iou",
        )
        assert anomalies.weights.magnitude_pairs == "all"
    else:
        assert (detector.normalisation, detector.iou_weight_power) == ("running", 0.2)
        assert (anomalies.batch_videos, anomalies.pool_first) == (16, True)
    assert data.tasks["action"].whole_videos == (preset == "paper")


def test_a_preset_names_heads_of_tasks_that_are_not_there(toy):
    assert set(build_training_data(toy.features, toy.labels, load_config("released")).tasks) == {"action"}


def test_no_batch_of_any_task_exceeds_the_batch_size(mixed):
    plan = load_config("paper", ["train.batch_size=4", "heads.detection=tridet-small"])
    data = build_training_data(
        mixed.features,
        mixed.labels,
        plan,
        tasks=("action", "detection", "anomaly"),
        segments=mixed.segments,
    )
    for task in data.tasks.values():
        batches = [len(batch.features) for batch in task.batches(seed=0)]
        assert max(batches) <= 4
        assert len(batches) == task.num_batches > 1


def test_without_training_videos_there_is_nothing_to_fit(toy):
    labels = replace(toy.labels, split=np.full(len(toy.labels.video), "test"))
    with pytest.raises(InputError, match="must mark some videos of the store as split train"):
        build_training_data(toy.features, labels, load_config())


@pytest.mark.parametrize("change", ["heads.anomaly=sultani", "task_weights.anomaly=2"])
def test_settings_of_tasks_that_are_not_named_are_refused(toy, change):
    name = change.partition("=")[0]
    with pytest.raises(InputError, match=f"{name} must be of a task that is named, got the tasks action"):
        build_training_data(toy.features, toy.labels, load_config("paper", [change]))


@pytest.mark.parametrize("stored", [True, False])
def test_a_method_for_sets_gets_the_training_videos_part_by_part(toy, toy_folder, stored):
    source = FeatureStore(toy_folder / "raw") if stored else open_features(toy.features)
    train = toy.labels.videos("train")
    plan = load_config(method="transport", changes=["transport.groups=person"])
    data = set_data(source, toy.labels, plan, videos=train)
    assert len(data.features) == 0  # nothing is held
    for _ in range(2):  # anew at every call
        parts = list(data.parts())
        assert len(parts) == (3 if stored else 1)
        assert all(len(part) for part in parts)
        assert sorted(video for part in parts for video in part.videos) == sorted(train)
    assert set(next(set_data(source, None, plan).parts()).videos) - set(train)


def test_a_shard_without_training_videos_gives_no_part(toy, toy_folder):
    store = FeatureStore(toy_folder / "raw")
    first = next(store.shards()).videos
    data = set_data(store, None, load_config(method="transport"), videos=first[:2])
    assert [part.videos for part in data.parts()] == [first[:2]]
