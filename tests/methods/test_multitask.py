"""One adapter for several tasks at once (Eq. 8 and 9): every task has its say, and none is cut short."""

from dataclasses import replace

import pytest
import torch

from latentveil.errors import InputError
from latentveil.methods import codebook, discriminant, splavu
from latentveil.methods.base import TrainingData
from latentveil.methods.feed import Feed
from latentveil.methods.plan import load_config
from latentveil.tasks.action import ActionTask
from latentveil.tasks.anomaly.config import MGFNConfig
from latentveil.tasks.anomaly.task import AnomalyTask
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.task import DetectionTask

TASKS = ("action", "detection", "anomaly")
FAST = (
    "adapter.layers=1",
    "adapter.heads=4",
    "adapter.init=exact",
    "train.epochs=1",
    "train.learning_rate=0.1",
    "train.batch_size=64",
    "train.pretrained_heads=",
)


@pytest.fixture(scope="module")
def data(mixed):
    """Three tasks whose epochs have 3, 6 and 1 batches."""
    detector = replace(
        TriDetConfig.small(), width=16, mlp_width=24, num_levels=2, head_layers=1, batch_size=2, min_steps=0,
        warmup_epochs=1, cosine_epochs=4,
    )  # fmt: skip
    labels = mixed.labels
    train = labels.videos("train")
    known = labels.only([*train, *labels.videos("val")])
    features = mixed.features.of_videos(known.video.tolist())
    return TrainingData(
        features=features.of_videos(train),
        tasks={
            "action": ActionTask(features, known, batch_size=8, clips_per_video=2),
            "detection": DetectionTask(features, known, mixed.segments, config=detector),
            "anomaly": AnomalyTask(features, known, mixed.segments, replace(MGFNConfig.small(), epochs=3)),
        },
    )


def fit(data, *changes):
    adapter = splavu.fit(data, load_config("paper", (*FAST, "loss.consistency=0.1", *changes)).settings)
    return torch.cat([value.flatten() for value in adapter.state_dict().values()])


def test_each_task_reads_its_own_videos(data):
    for name, task in data.tasks.items():
        found = task.videos.names("train")
        assert found
        assert all(video.startswith(name) for video in found)


def test_an_epoch_lasts_as_long_as_its_longest_task_and_the_others_come_round(data):
    lengths = {name: len(list(task.batches(seed=0))) for name, task in data.tasks.items()}
    assert lengths == {"action": 3, "detection": 6, "anomaly": 1}
    steps = list(Feed(data.features, data.tasks).epoch(64, seed=0, epoch=0))
    assert len(steps) == 6
    assert all(set(step.tasks) == set(TASKS) for step in steps)
    first, second = (steps[turn * 3 : turn * 3 + 3] for turn in range(2))
    for turn in (first, second):  # each turn of the shorter task shows each of its videos once
        assert sum(len(step.tasks["action"].features) for step in turn) == len(
            data.tasks["action"].videos.names("train")
        )
    assert not torch.equal(first[0].tasks["action"].features, second[0].tasks["action"].features)


def test_the_gradient_of_every_task_reaches_the_adapter(data):
    """With weight 0 a task still draws its batches, so that its gradient is all that is missing."""
    together = fit(data)
    assert torch.equal(together, fit(data))
    for name in TASKS:
        assert (together - fit(data, f"task_weights.{name}=0")).abs().max() > 1e-4, name


def test_an_adapter_for_any_subset_of_the_tasks(data):
    for names in (("detection",), ("action", "anomaly")):
        some = replace(data, tasks={name: data.tasks[name] for name in names})
        seen = []
        settings = load_config("paper", (*FAST, "loss.consistency=0.1")).settings
        splavu.fit(some, settings, on_progress=lambda step, seen=seen: seen.append(step.note))
        assert set(seen[-1].split()[::2]) == {"consistency", "static", *(f"task_{name}" for name in names)}


def test_heads_are_trained_on_raw_features_before_the_adapter_moves(data, monkeypatch):
    trained = []
    for name, task in data.tasks.items():

        def fit_head(*, seed, name=name, task=task):
            trained.append((name, seed))
            return task.build_head(seed=seed)

        monkeypatch.setattr(task, "fit_head", fit_head)
    splavu.fit(data, load_config("paper", FAST).settings)
    assert trained == []
    splavu.fit(
        data,
        load_config(
            "paper", (*FAST, "train.pretrained_heads=action,detection,anomaly", "train.seed=7")
        ).settings,
    )
    assert trained == [(name, 7) for name in TASKS]


def test_the_discriminant_keeps_the_directions_of_every_task(data):
    """Dimensions 0 to 2 tell actions, 3 and 4 the detected events; the rest is appearance."""

    def kept(names, dimensions):
        some = replace(data, tasks={name: data.tasks[name] for name in names})
        changes = ["erasure.keep=5", "erasure.phases=0", "erasure.window=1"]
        adapter = discriminant.fit(some, load_config(changes=changes, method="discriminant").settings)
        gain = adapter.network.mean_weight.square().sum(dim=0)  # (D,): what an output owes to each dimension
        return float(gain[dimensions].sum() / gain.sum())

    assert kept(["action"], [0, 1, 2]) > 0.8
    assert kept(["action"], [3, 4]) < 0.05
    assert kept(["detection"], [3, 4]) > 0.8
    assert kept(["action", "detection"], [0, 1, 2]) > 0.2
    assert kept(["action", "detection"], [3, 4]) > 0.2
    assert kept(TASKS, [0, 1, 2, 3, 4, 5]) > 0.8
    assert kept(TASKS, [5]) > 0.05


def test_a_task_that_looks_within_videos_needs_clips_that_differ(data):
    with pytest.raises(InputError, match=r"erasure.window must be odd .*\(detection, anomaly\), got 0"):
        discriminant.fit(data, load_config("veil", ["erasure.window=0"]).settings)


def test_without_a_window_the_tasks_decide(data):
    for names, window in ((["action"], 0), (["action", "detection"], 1)):
        some = replace(data, tasks={name: data.tasks[name] for name in names})
        for method in (codebook, discriminant):
            assert method.fit(some, load_config("veil").settings).config["window"] == window
