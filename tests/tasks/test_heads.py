"""Heads by name: the usual ones are small, the others are the published ones, and no other name is taken."""

import pytest

from latentveil.errors import InputError
from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig, SultaniConfig
from latentveil.tasks.build import TASKS, build_tasks
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads import HEADS, anomaly_head, detection_head
from latentveil.types import ClipTiming

TIMING = ClipTiming()


def test_every_task_has_heads():
    assert set(HEADS) == set(TASKS)


def test_without_small_a_head_is_the_published_one():
    assert detection_head("tridet", TIMING) == TriDetConfig()
    assert anomaly_head("mgfn", TIMING) == MGFNConfig()
    assert anomaly_head("mgfn-paper", TIMING) == MGFNConfig(weights=LossWeights.paper())
    assert anomaly_head("sultani", TIMING) == SultaniConfig()


def test_the_usual_heads_are_small():
    assert detection_head(None, TIMING) == TriDetConfig.small()
    assert anomaly_head(None, TIMING) == MGFNConfig.small()


def test_any_head_reads_clips_of_the_stores_length():
    timing = ClipTiming(clip_frames=32, fps=10.0)
    assert [detection_head(name, timing).clip_frames for name in HEADS["detection"]] == [32, 32]
    assert {anomaly_head(name, timing).clip_frames for name in HEADS["anomaly"]} == {32}
    assert detection_head("tridet", timing).single_clip_fps == 10.0


@pytest.mark.parametrize(("task", "name"), [(task, name) for task in HEADS for name in HEADS[task]])
def test_every_head_is_built_for_its_task(mixed, task, name):
    built = build_tasks([task], mixed.features, mixed.labels, segments=mixed.segments, heads={task: name})
    assert sum(value.numel() for value in built[task].build_head(seed=0).parameters()) > 0


def test_other_names_are_refused(mixed):
    for heads, message in (
        ({"anomaly": "tridet"}, "head of anomaly must be one of mgfn-small, .*, got 'tridet'"),
        ({"gait": "linear"}, "heads must be of the tasks action, .*, got 'gait'"),
    ):
        with pytest.raises(InputError, match=message):
            build_tasks(["anomaly"], mixed.features, mixed.labels, segments=mixed.segments, heads=heads)
