"""Action recognition: batches, the loss by hand, five-clip scoring, multi-label, and a head that learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.tasks.action import ActionTask
from latentveil.types import FeatureSet


def feature_set(clips: dict[str, np.ndarray], *, kind: str = "temporal") -> FeatureSet:
    """A feature set of the given videos, {video: (T, D)}, with clips of 16 frames at 32 frames per second."""
    lengths = [len(features) for features in clips.values()]
    clip = np.concatenate([np.arange(length) for length in lengths])
    num_clips = len(clip)
    return FeatureSet(
        video=np.repeat(list(clips), lengths),
        clip=clip,
        start_frame=clip * 16,
        time=clip * 0.5,
        kind=np.full(num_clips, kind),
        view=np.full(num_clips, "validation"),
        feature=np.concatenate(list(clips.values())).astype(np.float32),
    )


def planted_task(*, num_videos: int = 90, multi_label: bool = False, seed: int = 0, **options) -> ActionTask:
    """Videos of 1 to 9 clips around their action's direction; a third each to train, val and test."""
    random = np.random.default_rng(seed)
    names = [f"v{index:03d}" for index in range(num_videos)]
    if multi_label:
        shown = random.random((num_videos, 3)) < 0.4
        shown[~shown.any(1), 0] = True
    else:
        shown = np.eye(3, dtype=bool)[np.arange(num_videos) // 3 % 3]
    clips = {
        name: shown[row] @ np.eye(3, 8) * 4 + random.normal(size=(random.integers(1, 10), 8))
        for row, name in enumerate(names)
    }
    actions = ["|".join(np.array(["jump", "run", "wave"])[flags]) for flags in shown]
    labels = Labels(
        video=np.array(names),
        split=np.array(["train", "val", "test"] * (num_videos // 3)),
        columns={"action": np.array(actions)},
    )
    return ActionTask(feature_set(clips), labels, **options)


class Passing(nn.Module):
    """A head that gives its features back as logits."""

    def forward(self, features):
        return features


def test_a_batch_holds_one_random_clip_of_each_training_video():
    task = planted_task(batch_size=8)
    batches = list(task.batches(seed=3))
    features = torch.cat([batch.features for batch in batches])
    assert features.shape == (30, 1, 8)
    assert max(len(batch.features) for batch in batches) <= 8
    stored = {
        row.tobytes(): video for row, video in zip(task.videos.features.feature, task.videos.features.video)
    }
    videos = [stored[row.numpy().tobytes()] for row in features[:, 0]]
    assert sorted(videos) == sorted(task.videos.names("train"))
    for batch, video in zip(torch.cat([batch.target for batch in batches]), videos):
        assert task.classes[batch] == task.videos.values([video])[0]


def test_batches_follow_the_seed():
    task = planted_task()
    first, again, other = (next(task.batches(seed=seed)).features for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_all_clips_come_in_time_order_when_none_are_left_out():
    task = planted_task(clips_per_video=0)
    batch = next(task.batches(seed=0))
    lengths = sorted(len(task.videos.views(name)[0]) for name in task.videos.names("train"))
    assert sorted(batch.mask.sum(1).tolist()) == lengths
    assert batch.features[~batch.mask].abs().sum() == 0


def test_loss_by_hand_ignores_padding_and_weighs_videos_equally():
    task = planted_task()
    batch = next(task.batches(seed=0))
    logits = torch.tensor([[[1.0, 0, 0], [9, 9, 9]], [[0, 0, 0], [0, 2, 0]]], requires_grad=True)
    mask = torch.tensor([[True, False], [True, True]])
    chosen = type(batch)(features=logits.detach(), mask=mask, target=torch.tensor([0, 1]))
    loss = task.loss(Passing(), logits, chosen)
    first = -1 + np.log(np.e + 2)
    second = (np.log(3) + (-2 + np.log(np.exp(2) + 2))) / 2
    assert loss.item() == pytest.approx((first + second) / 2, abs=1e-6)
    loss.backward()
    assert logits.grad[0, 1].abs().sum() == 0
    assert logits.grad[0, 0, 0] < 0 < logits.grad[0, 0, 1]
    assert logits.grad[1, 0, 1] < 0 < logits.grad[1, 0, 0]


def test_multi_label_loss_by_hand():
    task = planted_task(multi_label=True)
    batch = next(task.batches(seed=0))
    logits = torch.tensor([[[2.0, 0, -1]]])
    chosen = type(batch)(
        features=logits, mask=torch.ones(1, 1, dtype=torch.bool), target=torch.tensor([[1, 0, 1]])
    )
    expected = (np.log1p(np.exp(-2)) + np.log(2) + np.log1p(np.exp(1))) / 3
    assert task.loss(Passing(), logits, chosen).item() == pytest.approx(expected, abs=1e-6)


def test_score_averages_probabilities_of_five_evenly_spaced_clips():
    # Clips 0, 2, 5, 7, 10 of 11 are scored; the others would all say class a.
    logits = np.tile([50.0, 0.0], (11, 1))
    logits[[0, 2, 5]] = [0.0, 50.0]
    clips = {"x": logits, "y": np.tile([50.0, 0.0], (2, 1))}
    labels = Labels(
        video=np.array(["x", "y"]), split=np.array(["test", "test"]), columns={"action": np.array(["b", "a"])}
    )
    task = ActionTask(feature_set(clips), labels)
    score = task.score(Passing(), "test", seed=0)
    assert score.metric == "top1"
    assert score.interval.value == 1.0
    assert task._probabilities(Passing(), "x") == pytest.approx([0.4, 0.6], abs=1e-6)


@pytest.mark.parametrize("multi_label", [False, True])
def test_head_learns_and_stays_linear(multi_label):
    task = planted_task(num_videos=150, multi_label=multi_label)
    head = task.fit_head(seed=0)
    assert isinstance(head, nn.Linear)
    assert head.weight.shape == (3, 8)
    score = task.score(head, "test", seed=0)
    assert score.metric == ("map" if multi_label else "top1")
    assert score.interval.value > 0.9 > task.chance
    assert score.interval.low <= score.interval.value <= score.interval.high
    untrained = task.score(task.build_head(seed=1), "test", seed=0)
    assert untrained.interval.value < score.interval.value


def test_fit_head_never_reads_test_videos():
    task = planted_task()
    before = task.fit_head(seed=0).weight.clone()
    test_rows = np.isin(task.videos.features.video, task.videos.names("test"))
    task.videos.features.feature[test_rows] = 1e6
    assert torch.equal(task.fit_head(seed=0).weight, before)


def test_chance_is_the_share_of_the_most_frequent_class():
    labels = Labels(
        video=np.array(list("abcd")),
        split=np.array(["test"] * 4),
        columns={"action": np.array(["run", "run", "run", "sit"])},
    )
    task = ActionTask(feature_set({name: np.zeros((1, 2)) for name in "abcd"}), labels)
    assert task.chance == 0.75


def test_static_clips_and_unlabelled_videos_stay_out():
    labels = Labels(
        video=np.array(["a", "b"]),
        split=np.array(["train", "train"]),
        columns={"action": np.array(["run", ""])},
    )
    task = ActionTask(feature_set({"a": np.zeros((2, 2)), "b": np.zeros((2, 2))}), labels)
    assert task.videos.names("train") == ["a"]
    still = ActionTask(feature_set({"a": np.zeros((2, 2))}, kind="static"), labels)
    with pytest.raises(InputError, match="features must have temporal clips of every train video"):
        next(still.batches(seed=0))
    with pytest.raises(InputError, match="must have val videos"):
        task.fit_head(seed=0)


def test_the_interval_resamples_people_where_they_are_known():
    """One of two people is always recognised, the other never: another two might be both, or neither."""
    clips = {f"v{index:02d}": np.eye(2)[[0]] for index in range(44)}
    actions = ["wave", "jump"] + ["jump"] * 20 + ["wave"] * 20 + ["jump", "wave"]
    labels = Labels(
        video=np.array(list(clips)),
        split=np.array(["train"] * 2 + ["test"] * 40 + ["val"] * 2),
        columns={"action": np.array(actions)},
    )
    by_video = ActionTask(feature_set(clips), labels).score(Passing(), "test", seed=0).interval
    people = np.array(["a"] * 2 + ["b"] * 20 + ["c"] * 20 + ["d"] * 2)
    by_person = ActionTask(feature_set(clips), replace(labels, person=people)).score(
        Passing(), "test", seed=0
    )
    assert by_video.value == by_person.interval.value == 0.5
    assert by_video.low > 0.3
    assert (by_person.interval.low, by_person.interval.high) == (0, 1)
