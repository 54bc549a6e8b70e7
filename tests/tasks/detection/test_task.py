import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.task import DetectionTask
from latentveil.types import FeatureSet


@pytest.fixture
def task(planted, tiny_config):
    features, labels, segments = planted
    return DetectionTask(features, labels, segments, config=tiny_config)


def test_learns_planted_segments(planted):
    features, labels, segments = planted
    config = replace(
        TriDetConfig.small(),
        width=32,
        mlp_width=48,
        num_levels=2,
        head_layers=1,
        batch_size=4,
        learning_rate=3e-3,
        warmup_epochs=2,
        cosine_epochs=13,
        min_steps=0,
    )
    task = DetectionTask(features, labels, segments, config=config)
    score = task.score(task.fit_head(seed=0), "test", seed=0)
    assert score.interval.value >= 0.8
    assert score.interval.low <= score.interval.value <= score.interval.high
    assert list(score.details) == ["mAP@0.3", "mAP@0.4", "mAP@0.5", "mAP@0.6", "mAP@0.7"]
    assert np.mean(list(score.details.values())) == pytest.approx(score.interval.value)


def test_gradients_reach_the_adapter(task):
    adapter = nn.Linear(16, 16)
    head = task.build_head(seed=0).train()
    batch = next(task.batches(seed=0))
    task.loss(head, adapter(batch.features), batch).backward()
    assert adapter.weight.grad.abs().sum() > 0
    assert torch.isfinite(adapter.weight.grad).all()


def test_a_loss_may_be_taken_twice_before_going_back(task):
    head = task.build_head(seed=0).train()
    batch = next(task.batches(seed=0))
    first, second = (task.loss(head, batch.features, batch) for _ in range(2))
    (first + second).backward()
    assert math.isfinite(first.item())


def test_the_normaliser_learns_in_training_only(task):
    head = task.build_head(seed=0).eval()
    batch = next(task.batches(seed=0))
    task.loss(head, batch.features, batch)
    assert head.normaliser.item() == task.config.normaliser_start
    task.loss(head.train(), batch.features, batch)
    assert head.normaliser.item() < task.config.normaliser_start


def test_seeds_decide_everything(task):
    def epoch(seed):
        return [(batch.features, batch.target.segments) for batch in task.batches(seed=seed)]

    first, same, other = epoch(3), epoch(3), epoch(4)
    assert all(torch.equal(a[0], b[0]) for a, b in zip(first, same))
    assert not all(a[0].shape == b[0].shape and torch.equal(a[0], b[0]) for a, b in zip(first, other))
    weights = [next(task.build_head(seed=seed).parameters()) for seed in (0, 0, 1)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_an_epoch_reads_training_videos_alone(planted, tiny_config):
    features, labels, segments = planted
    test = set(labels.videos("test")) | set(labels.videos("val"))
    spoiled = features.with_feature(
        np.where(np.isin(features.video, list(test))[:, None], np.nan, features.feature).astype(np.float32)
    )
    task = DetectionTask(
        spoiled, labels, segments, config=replace(tiny_config, warmup_epochs=1, cosine_epochs=0)
    )
    head = task.fit_head(seed=0)
    assert all(torch.isfinite(parameter).all() for parameter in head.parameters())


def test_targets_lie_where_the_clips_do(tiny_config, feature_set):
    # clip n covers n..n+1 in clip lengths and sits at n on the grid, so [4, 8] clip lengths is [3.5, 7.5]
    features = feature_set({"a": np.zeros((12, 4)), "b": np.zeros((12, 4))})
    labels = Labels(video=np.array(["a", "b"]), split=np.array(["train", "test"]))
    second = 16 / 25
    segments = {"a": [Segment(4 * second, 8 * second, "x")]}
    config = replace(tiny_config, crop_shortest=1.0)
    task = DetectionTask(features, labels, segments, config=config)
    target = next(task.batches(seed=0)).target
    torch.testing.assert_close(target.segments[0], torch.tensor([[3.5, 7.5]]))
    assert target.classes[0].tolist() == [0]


def test_examples_are_the_segments_and_what_lies_between(tiny_config, feature_set):
    features = feature_set({"a": np.arange(10.0)[:, None], "b": np.zeros((4, 1)), "c": np.ones((3, 1))})
    labels = Labels(video=np.array(["a", "b", "c"]), split=np.array(["train", "test", "train"]))
    second = 16 / 25  # of a clip
    segments = {"a": [Segment(2 * second, 5 * second, "x"), Segment(7 * second, 9 * second, "y")]}
    task = DetectionTask(features, labels, segments, config=tiny_config)
    found = [(stretch[:, 0].tolist(), label) for stretch, label in task.examples()]
    assert found == [
        ([2, 3, 4], 0),
        ([7, 8], 1),
        ([0, 1], 2),
        ([5, 6], 2),
        ([9], 2),
        ([1, 1, 1], 2),
    ]


def test_found_segments_lie_inside_their_videos(task):
    head = task.build_head(seed=0)
    found = task.detect(head, "test")
    assert len(found) > 0
    assert set(found.video) <= {f"v{number}" for number in range(32, 40)}
    assert (found.start_seconds >= 0).all()
    assert (found.end_seconds > found.start_seconds).all()
    assert found.end_seconds.max() <= 40 * 16 / 25


def test_of_several_views_the_first_is_scored_and_all_are_trained_on(planted, tiny_config):
    features, labels, segments = planted
    columns = {name: np.concatenate([column, column]) for name, column in vars(features).items()}
    columns["view"] = np.repeat(np.array(["validation", "training"]), len(features))
    twice = DetectionTask(FeatureSet(**columns), labels, segments, config=tiny_config)
    once = DetectionTask(features, labels, segments, config=tiny_config)
    head = once.build_head(seed=0)
    assert twice.num_batches == 2 * once.num_batches + 1  # 56 and 28 videos in batches of 8
    assert twice.detect(head, "test").score.tolist() == once.detect(head, "test").score.tolist()


def test_refuses_data_without_a_training_segment_and_empty_splits(planted, tiny_config):
    features, labels, segments = planted
    with pytest.raises(InputError, match="at least one segment of a training video"):
        DetectionTask(features, labels, {}, config=tiny_config)
    everything = Labels(video=labels.video, split=np.full(len(labels.video), "train"))
    task = DetectionTask(features, everything, segments, config=tiny_config)
    with pytest.raises(InputError, match="labels must have test videos"):
        task.score(task.build_head(seed=0), "test", seed=0)


@pytest.mark.parametrize("length", [1, 2, 10])
def test_short_videos_work(length, tiny_config, feature_set):
    features = feature_set({name: np.ones((length, 4)) for name in "ab"})
    labels = Labels(video=np.array(["a", "b"]), split=np.array(["train", "test"]))
    segments = {name: [Segment(0.1, 0.6 * length, "x")] for name in "ab"}
    config = replace(tiny_config, warmup_epochs=1, cosine_epochs=1)
    task = DetectionTask(features, labels, segments, config=config)
    assert 0 <= task.score(task.fit_head(seed=0), "test", seed=0).interval.value <= 1
