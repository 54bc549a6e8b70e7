"""Bias: the drawn training sets are as lopsided as the protocol says, and the gap is what fairlearn says."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.bench.measures.bias_draw import balanced_people, biased_labels, given_labels
from latentveil.bench.protocols.bias import group_scores, largest_gap
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet

ACTIONS = ("wave", "bow", "jump")


def make_set(groups=("f", "m"), people=14, repeats=2, uneven=0):
    """Everybody does every action a few times; the first group has more people by ``uneven``."""
    rows = []
    for number, group in enumerate(groups):
        for person in range(people + (uneven if number == 0 else 0)):
            for action in ACTIONS:
                rows += [
                    (f"{group}{person}-{action}-{r}", f"{group}{person}", group, action)
                    for r in range(repeats)
                ]
    video, person, group, action = (np.array(column) for column in zip(*rows))
    return Labels(video, np.full(len(video), "train"), person, {"action": action, "secret_group": group})


def shares(labels, action):
    """The number of training videos of an action by group."""
    chosen = (labels.column("action") == action) & (labels.split == "train")
    return dict(zip(*np.unique(labels.column("group")[chosen], return_counts=True)))


def test_people_are_balanced_and_nobody_is_in_two_splits():
    people = balanced_people(make_set(uneven=5), "group", seed=0)
    for groups in people.values():
        assert len({len(found) for found in groups.values()}) == 1
    everybody = [one for groups in people.values() for found in groups.values() for one in found]
    assert len(everybody) == len(set(everybody)) == 28
    assert [len(people[split]["f"]) for split in ("train", "val", "test")] == [8, 2, 4]


def test_by_subject_one_person_of_each_group_does_what_the_others_do_not():
    labels = make_set()
    biased = biased_labels(
        labels, balanced_people(labels, "group", seed=0), majority="f", action="wave", seed=0
    )
    assert shares(biased, "wave") == {"f": 7 * 2, "m": 1 * 2}
    assert shares(biased, "bow") == {"f": 1 * 2, "m": 7 * 2}
    test = biased.column("group")[biased.split == "test"]
    assert (test == "f").sum() == (test == "m").sum() == 4 * 6


def test_by_videos_the_minority_has_its_share():
    labels = make_set(people=28, repeats=5)
    biased = biased_labels(
        labels, balanced_people(labels, "group", seed=0), majority="m", action="wave", by="videos", seed=0
    )
    counts = shares(biased, "wave")
    assert counts["f"] / sum(counts.values()) == pytest.approx(0.05, abs=0.01)
    counts = shares(biased, "jump")
    assert counts["m"] / sum(counts.values()) == pytest.approx(0.05, abs=0.01)


def test_there_may_be_three_groups():
    labels = make_set(groups=("a", "b", "c"))
    biased = biased_labels(
        labels, balanced_people(labels, "group", seed=1), majority="b", action="bow", seed=1
    )
    assert shares(biased, "bow") == {"a": 2, "b": 14, "c": 2}
    assert shares(biased, "wave") == {"a": 14, "b": 2, "c": 14}


def test_the_seed_draws_other_people():
    labels = make_set()
    drawn = [balanced_people(labels, "group", seed=seed)["test"]["f"] for seed in (0, 1)]
    assert drawn[0] != drawn[1]


def test_too_few_people_are_refused():
    with pytest.raises(InputError, match="two groups or more with 4 people each, got 3 of f, 3 of m"):
        balanced_people(make_set(people=3), "group", seed=0)


def test_a_set_that_is_biased_as_it_is_keeps_its_own_split():
    """Toyota Smarthome, and NTU's sets as the public code has them: nobody is drawn, nobody changes sides."""
    labels = make_set(people=6)
    split = np.select([labels.person == "f0", np.isin(labels.person, ["m0", "m1"])], ["val", "test"], "train")
    split[labels.person == "f1"] = "test"
    group = np.where(labels.person == "m1", "", labels.column("group"))
    columns = {**labels.columns, "secret_group": group}
    given = given_labels(replace(labels, split=split, columns=columns), "group")
    assert set(given.person[given.split == "test"]) == {"f1", "m0"}, "nobody knows the group of m1"
    assert len(given.videos("train")) == 8 * 6
    with pytest.raises(InputError, match="group must have two groups or more among the test videos, got f"):
        given_labels(replace(labels, split=np.where(labels.person == "f1", "test", "train")), "group")


def test_the_gap_is_that_of_fairlearn():
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    random = np.random.default_rng(0)
    correct, groups = random.integers(2, size=90).astype(float), random.choice(["a", "b", "c"], 90)
    frame = metrics.MetricFrame(
        metrics=lambda truth, answer: float(np.mean(truth == answer)),
        y_true=np.ones(90),
        y_pred=correct,
        sensitive_features=groups,
    )
    assert largest_gap(correct, groups)(np.ones((1, 90)))[0] == pytest.approx(frame.difference())


def test_a_shortcut_costs_accuracy_on_balanced_people():
    """Where features show the group loudly, a head that learned from biased videos names actions by the group."""
    labels = make_set(people=14, repeats=3)
    biased = biased_labels(
        labels, balanced_people(labels, "group", seed=0), majority="f", action="wave", seed=0
    )
    random = np.random.default_rng(0)
    found = {}
    for loudness in (0.0, 8.0):
        rows = {}
        for video, group, action in zip(labels.video, labels.column("group"), labels.column("action")):
            feature = random.normal(size=8)
            feature[ACTIONS.index(action)] += 1.5
            feature[4] += loudness * (group == "f")
            rows[str(video)] = feature[None].astype(np.float32)
        found[loudness] = group_scores(FeatureSet.from_arrays(rows), biased, group="group", seed=0)
    assert found[8.0]["overall"].value < found[0.0]["overall"].value - 0.1
    accuracies = [found[8.0][group].value for group in ("f", "m")]
    assert found[8.0]["gap"].value == pytest.approx(max(accuracies) - min(accuracies))
    assert (found[8.0]["overall"].people, found[8.0]["f"].people) == (8, 4)
