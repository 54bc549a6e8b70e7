"""Anomaly detection as a task: it learns planted anomalies, balances its batches, and keeps test videos out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.tasks.anomaly.config import MGFNConfig, SultaniConfig
from latentveil.tasks.anomaly.task import AnomalyTask
from latentveil.types import FeatureSet

DIM = 24
TINY = replace(MGFNConfig.small(), dims=(8, 16, 16), head_dim=8, margin=3.0, epochs=12, learning_rate=1e-3)


def planted(*, num_videos: int = 60, seed: int = 0, fps: float = 32.0):
    """Videos of 8 to 40 clips of noise; every second one has a stretch of clips moved along one direction."""
    random = np.random.default_rng(seed)
    direction = np.random.default_rng(99).normal(size=DIM)
    columns: dict[str, list] = {name: [] for name in ("video", "clip", "start_frame", "feature")}
    segments = {}
    for index in range(num_videos):
        name, length = f"v{index:03d}", int(random.integers(8, 41))
        clips = random.normal(size=(length, DIM))
        if index % 2:
            size = round(length * random.uniform(0.3, 0.5))
            start = int(random.integers(0, length - size + 1))
            clips[start : start + size] += direction
            segments[name] = [Segment(start * 16 / fps, (start + size) * 16 / fps, "planted")]
        columns["video"] += [name] * length
        columns["clip"] += range(length)
        columns["start_frame"] += range(0, length * 16, 16)
        columns["feature"].append(clips)
    num_clips = len(columns["video"])
    features = FeatureSet(
        video=np.array(columns["video"]),
        clip=np.array(columns["clip"]),
        start_frame=np.array(columns["start_frame"]),
        time=np.array(columns["start_frame"]) / fps,
        kind=np.full(num_clips, "temporal"),
        view=np.full(num_clips, "validation"),
        feature=np.concatenate(columns["feature"]).astype(np.float32),
    )
    labels = Labels(
        video=np.array(features.videos),
        split=np.array([("train", "train", "val", "test")[index // 2 % 4] for index in range(num_videos)]),
        columns={"anomaly": np.array([str(index % 2) for index in range(num_videos)])},
    )
    return features, labels, segments


@pytest.mark.parametrize(
    "config",
    [
        replace(TINY, epochs=30, learning_rate=3e-3),
        SultaniConfig(hidden=(64, 16), dropout=0.2, learning_rate=3e-3, epochs=40),
    ],
    ids=lambda config: type(config).__name__,
)
def test_learns_planted_anomalies_from_labels_of_whole_videos(config):
    task = AnomalyTask(*planted(num_videos=96), config)
    for seed in range(3):
        score = task.score(task.fit_head(seed=seed), "test", seed=0)
        assert score.metric == "auc"
        assert score.interval.value >= 0.93
        assert score.interval.low <= score.interval.value <= score.interval.high
        assert score.details["ap"] > 0.6
        assert task.score(task.build_head(seed=seed), "test", seed=0).interval.value < 0.9


def test_the_units_of_the_features_do_not_matter():
    features, labels, segments = planted(num_videos=16)
    config = replace(TINY, standardize=True)
    scores = []
    for size in (1.0, 1024.0):
        task = AnomalyTask(replace(features, feature=size * features.feature), labels, segments, config)
        head = task.fit_head(seed=0)
        scores.append(np.concatenate(task.clip_scores(head, task.videos.names("test"))))
        rows = np.isin(features.video, labels.videos("train"))
        scaled = size * features.feature[rows] * head.scale.item()
        assert scaled.var(axis=0).mean() == pytest.approx(1, rel=1e-5)
    assert np.ptp(scores[0]) > 0
    np.testing.assert_allclose(*scores, atol=1e-4)


def test_features_that_are_all_alike_tell_nothing_and_break_nothing():
    features, labels, segments = planted(num_videos=16)
    blank = replace(features, feature=np.ones_like(features.feature))
    task = AnomalyTask(blank, labels, segments, replace(TINY, standardize=True, epochs=1))
    scores = np.concatenate(task.clip_scores(task.fit_head(seed=0), task.videos.names("test")))
    assert np.isfinite(scores).all()


def test_score_is_the_auc_over_all_frames():
    features, labels, segments = planted(num_videos=16)
    task = AnomalyTask(features, labels, segments, TINY)
    head = task.build_head(seed=0)
    truth, scores = [], []
    for name in labels.videos("test"):
        length = int((features.video == name).sum())
        frames = np.zeros(length * 16)
        for segment in segments.get(name, []):
            frames[round(segment.start_seconds * 32) : round(segment.end_seconds * 32)] = 1
        truth.append(frames)
        scores.append(np.repeat(task.clip_scores(head, [name])[0], 16))
    expected = roc_auc_score(np.concatenate(truth), np.concatenate(scores))
    assert task.score(head, "test", seed=0).interval.value == pytest.approx(expected, abs=1e-9)


def test_batches_are_half_normal_half_anomalous_and_pass_every_video():
    features, labels, segments = planted(num_videos=60)
    # Leave few anomalous training videos: they must come round again.
    rare = set(labels.videos("train")[1::2][3:])
    labels = labels.only([video for video in labels.video if video not in rare])
    task = AnomalyTask(features, labels, segments, replace(TINY, batch_videos=8))
    first = {features.feature[features.video == name][0].tobytes(): name for name in labels.video}
    seen = []
    for batch in task.batches(seed=0):
        assert batch.target.sum() * 2 == len(batch.target)
        names = [first[row.numpy().tobytes()] for row in batch.features[:, 0]]
        assert labels.lookup("anomaly", names).tolist() == [str(int(flag)) for flag in batch.target]
        assert batch.mask.sum(1).tolist() == [int((features.video == name).sum()) for name in names]
        seen += names
    assert set(seen) == set(labels.videos("train"))
    again, other = (torch.cat([b.mask.sum(1) for b in task.batches(seed=seed)]).tolist() for seed in (0, 1))
    assert again != other


def test_long_videos_are_thinned_over_their_whole_length():
    task = AnomalyTask(*planted(num_videos=16), replace(TINY, max_clips=4))
    name = task.videos.names("train")[0]
    clips = task.videos.features.feature[task.videos.views(name)[0]]
    thinned = task._training_clips(name, np.random.default_rng(0))
    places = [int(np.flatnonzero((clips == row).all(1))[0]) for row in thinned]
    borders = np.linspace(0, len(clips), 5).astype(int)
    assert all(low <= place < high for place, low, high in zip(places, borders, borders[1:]))


def test_gradient_of_the_loss_reaches_real_clips_only():
    task = AnomalyTask(*planted(num_videos=16), TINY)
    batch = next(task.batches(seed=0))
    features = batch.features.clone().requires_grad_()
    torch.manual_seed(0)
    task.loss(task.build_head(seed=0).train(), features, batch).backward()
    reached = features.grad.abs().sum(-1) > 0
    assert not reached[~batch.mask].any()
    assert reached[batch.mask].float().mean() > 0.9


def test_fit_head_follows_the_seed_and_never_reads_test_videos():
    features, labels, segments = planted(num_videos=24)
    config = replace(TINY, epochs=2)
    first = AnomalyTask(features, labels, segments, config).fit_head(seed=0)
    changed = features.feature.copy()
    changed[np.isin(features.video, labels.videos("test"))] = 1e3
    again = AnomalyTask(features.with_feature(changed), labels, segments, config).fit_head(seed=0)
    assert all(torch.equal(a, b) for a, b in zip(first.state_dict().values(), again.state_dict().values()))
    other = AnomalyTask(features, labels, segments, config).fit_head(seed=1)
    assert not torch.equal(first.score.weight, other.score.weight)


def test_validation_videos_without_segments_are_told_apart_as_whole_videos():
    features, labels, segments = planted(num_videos=24)
    known = {name: found for name, found in segments.items() if name in labels.videos("test")}
    task = AnomalyTask(features, labels, known, replace(TINY, epochs=1))
    head = task.fit_head(seed=0)
    names = labels.videos("val")
    worst = [np.sort(scores)[-3:].mean() for scores in task.clip_scores(head, names)]
    assert task._quality(head, task._validation_truth())[0] == pytest.approx(
        roc_auc_score(labels.lookup("anomaly", names) == "1", worst)
    )
    with pytest.raises(InputError, match="segments must say when"):
        task.score(head, "val", seed=0)


def test_segments_of_normal_videos_do_not_count():
    features, labels, segments = planted(num_videos=16)
    head = AnomalyTask(features, labels, segments, TINY).build_head(seed=0)
    normal = {name: [Segment(0.0, 1.0, "sitting")] for name in labels.video if name not in segments}
    scores = [
        AnomalyTask(features, labels, found, TINY).score(head, "test", seed=0)
        for found in (segments, segments | normal)
    ]
    assert scores[0] == scores[1]


def test_refuses_other_labels_and_one_kind_only():
    features, labels, segments = planted(num_videos=16)
    wrong = replace(labels, columns={"anomaly": np.array(["yes"] * 16)})
    with pytest.raises(InputError, match=r"must be 0 \(normal\) or 1"):
        AnomalyTask(features, wrong, segments, TINY)
    calm = replace(labels, columns={"anomaly": np.array(["0"] * 16)})
    with pytest.raises(InputError, match="both kinds"):
        AnomalyTask(features, calm, segments, TINY).fit_head(seed=0)


def test_videos_of_one_person_say_nothing_of_others():
    features, labels, segments = planted(num_videos=16)
    for person, is_known in (("", True), ("somebody", False)):
        known = replace(labels, person=np.where(labels.split == "test", person, "other"))
        task = AnomalyTask(features, known, segments, TINY)
        assert np.isfinite(task.score(task.build_head(seed=0), "test", seed=0).interval.low) == is_known
