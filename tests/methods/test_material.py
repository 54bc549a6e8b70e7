"""What reaches a method: training videos, tasks with validation videos, and secrets for oracles alone."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.methods.material import build_training_data
from latentveil.methods.plan import load_config


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


def test_without_training_videos_there_is_nothing_to_fit(toy):
    labels = replace(toy.labels, split=np.full(len(toy.labels.video), "test"))
    with pytest.raises(InputError, match="must mark some videos of the store as split train"):
        build_training_data(toy.features, labels, load_config())
