"""The people: attributes that say nothing about each other or the action, and groups that do not overlap."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from latentveil.actors.people import draw_levels, split_sizes
from latentveil.actors.sets.action import action_videos
from latentveil.actors.sets.tasks import describe

PER_VIDEO = ("hat", "upper", "lower", "bare_legs", "scene")
PER_PERSON = ("gender", "skin", "hair", "glasses")


def excess_information(first: np.ndarray, second: np.ndarray) -> float:
    """Mutual information in nats beyond what chance gives with so few samples (Miller-Madow)."""
    freedom = (len(set(first)) - 1) * (len(set(second)) - 1)
    return mutual_info_score(first, second) - freedom / (2 * len(first))


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    videos = action_videos(4800, seed=7)
    columns = {name: np.array([video.labels[name] for video in videos]) for name in videos[0].labels}
    return columns | {"person": np.array([video.person for video in videos])}


def test_attributes_of_a_video_are_independent_of_each_other_and_of_the_action(table):
    names = [f"secret_{name}" for name in PER_VIDEO] + ["action"]
    for first, second in itertools.combinations(names, 2):
        assert excess_information(table[first], table[second]) < 0.01, (first, second)


def test_attributes_of_a_person_are_independent_of_everything_else(table):
    for name in PER_PERSON:
        own = table[f"secret_{name}"]
        for other in ("action", *(f"secret_{attribute}" for attribute in PER_VIDEO)):
            assert excess_information(own, table[other]) < 0.01, (name, other)
    _, first_video = np.unique(table["person"], return_index=True)
    for first, second in itertools.combinations(PER_PERSON, 2):
        people = table[f"secret_{first}"][first_video], table[f"secret_{second}"][first_video]
        assert excess_information(*people) < 0.01, (first, second)


def test_the_independence_test_can_fail(table):
    copied = np.where(np.arange(4800) % 5 == 0, table["secret_hat"], table["secret_gender"])
    assert excess_information(table["secret_gender"], copied) > 0.1


@pytest.mark.parametrize("task", ["action", "detection", "anomaly", "bias", "images"])
def test_nobody_is_in_two_splits(task):
    videos = describe(task, num_videos=60)
    people = {split: set() for split in ("train", "val", "test")}
    for video in videos:
        people[video.split] |= {actor.person.name for actor in video.actors}
    assert all(people.values())
    assert not people["train"] & people["test"]
    assert not people["train"] & people["val"]
    assert not people["val"] & people["test"]


def test_a_person_keeps_their_attributes_and_performs_several_actions():
    videos = action_videos(240)
    by_person: dict[str, list] = {}
    for video in videos:
        by_person.setdefault(video.person, []).append(video)
    for own in by_person.values():
        assert len({video.labels["action"] for video in own}) == len(own) >= 3
        for name in PER_PERSON:
            assert len({video.labels[f"secret_{name}"] for video in own}) == 1
    counts = np.unique([video.labels["action"] for video in videos], return_counts=True)[1]
    assert len(counts) == 16
    assert counts.max() - counts.min() <= 4


def test_levels_are_balanced_to_one():
    counts = np.bincount(draw_levels(np.random.default_rng(0), 6, 20), minlength=6)
    assert counts.sum() == 20
    assert counts.max() - counts.min() == 1


def test_every_split_gets_something():
    for count in range(3, 40):
        sizes = split_sizes(count)
        assert sum(sizes.values()) == count
        assert min(sizes.values()) >= 1
