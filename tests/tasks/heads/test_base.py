"""Heads by name: the usual ones are small, the others are the published ones, and no other name is taken."""

import pytest

from latentveil.errors import InputError
from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig, SultaniConfig
from latentveil.tasks.build import TASKS, build_tasks
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads.base import HEADS, find_head, heads_of
from latentveil.types import ClipTiming


def config_of(mixed, task, name=None, **options):
    heads = {} if name is None else {task: name}
    built = build_tasks([task], mixed.features, mixed.labels, segments=mixed.segments, heads=heads, **options)
    return built[task].config


def test_every_task_has_one_usual_head():
    assert [sum(head.usual for head in heads_of(task)) for task in TASKS] == [1, 1, 1]
    assert {head.task for head in HEADS.all()} == set(TASKS)


def test_without_small_a_head_is_the_published_one(mixed):
    assert config_of(mixed, "detection", "tridet") == TriDetConfig()
    assert config_of(mixed, "anomaly", "mgfn") == MGFNConfig()
    assert config_of(mixed, "anomaly", "mgfn-paper") == MGFNConfig(weights=LossWeights.paper())
    assert config_of(mixed, "anomaly", "sultani") == SultaniConfig()


def test_the_usual_heads_are_small(mixed):
    assert config_of(mixed, "detection") == TriDetConfig.small()
    assert config_of(mixed, "anomaly") == MGFNConfig.small()


def test_any_head_reads_clips_of_the_stores_length(mixed):
    timing = ClipTiming(clip_frames=32, fps=10.0)
    for task in ("detection", "anomaly"):
        for head in heads_of(task):
            assert config_of(mixed, task, head.name, timing=timing).clip_frames == 32
    assert config_of(mixed, "detection", "tridet", timing=timing).single_clip_fps == 10.0


def test_a_head_of_another_package_is_named_by_its_module():
    assert find_head("anomaly", "latentveil.tasks.heads.sultani:head").name == "sultani"
    with pytest.raises(InputError, match="head of action must be one of linear, or package"):
        find_head("action", "latentveil.tasks.heads.sultani:head")


def test_other_names_are_refused(mixed):
    for heads, message in (
        ({"anomaly": "tridet"}, "head of anomaly must be one of mgfn-small, .*, got 'tridet'"),
        ({"gait": "linear"}, "heads must be of the tasks action, .*, got 'gait'"),
    ):
        with pytest.raises(InputError, match=message):
            build_tasks(["anomaly"], mixed.features, mixed.labels, segments=mixed.segments, heads=heads)
