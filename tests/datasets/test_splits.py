"""Drawn splits: the shares hold in every class, and the seed alone decides."""

import numpy as np
import pytest

from latentveil.datasets.splits import SHARES, draw_splits, hold_out
from latentveil.labels import Labels


@pytest.mark.parametrize("shares", [SHARES, {"val": 0.1, "train": 0.9}])
def test_every_class_has_the_same_shares(shares):
    classes = np.repeat(["run", "walk", "wave"], [50, 100, 30])
    split = draw_splits([classes == name for name in ("walk", "run", "wave")], seed=0, shares=shares)
    for name in ("run", "walk", "wave"):
        for part, share in shares.items():
            assert (split[classes == name] == part).mean() == pytest.approx(share)


def test_the_seed_alone_decides():
    strata = [np.arange(40) < 20, np.arange(40) >= 20]
    first, again, other = (draw_splits(strata, seed=seed) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()


def make_labels(people, repetitions=10, **columns):
    """Everybody does two actions a few times; all to train on but the last person."""
    rows = [(p, a, r) for p in range(people) for a in ("run", "walk") for r in range(repetitions)]
    person, action, _ = (np.array(column).astype(str) for column in zip(*rows))
    video = np.array([f"{p}-{a}-{r}" for p, a, r in rows])
    split = np.where(person == str(people - 1), "test", "train")
    recording = np.array([f"{a}-{r}" for _, a, r in rows]) if columns.get("recordings") else None
    return Labels(video, split, person, {"action": action}, recording)


def test_whole_people_are_held_out_where_there_are_many():
    labels = make_labels(31)
    held = hold_out(labels, share=0.1)
    people = {split: set(held.person[held.split == split]) for split in ("train", "val", "test")}
    assert [len(found) for found in people.values()] == [27, 3, 1]
    assert not people["train"] & people["val"]
    assert np.array_equal(held.split == "test", labels.split == "test")


def test_recordings_are_held_out_of_every_action_where_people_are_few():
    held = hold_out(make_labels(5, repetitions=20, recordings=True), share=0.1)
    parts = {split: held.recording[held.split == split] for split in ("train", "val")}
    assert not set(parts["train"]) & set(parts["val"])
    assert sorted({name.split("-")[0] for name in parts["val"]}) == ["run", "walk"]
    assert len(set(parts["val"])) == 4


def test_single_videos_of_every_action_are_held_out_where_nothing_tells_them_apart():
    held = hold_out(make_labels(5), share=0.1)
    validation = held.column("action")[held.split == "val"]
    assert [(validation == action).sum() for action in ("run", "walk")] == [4, 4]
    again = hold_out(make_labels(5), share=0.1)
    assert held.split.tolist() == again.split.tolist()
