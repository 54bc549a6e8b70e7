"""Who is guessed rightly: everybody where it shows, nobody more than by luck where nothing does."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing.answers import SecretAnswers
from latentveil.auditing.risks.inference import infer_by_person
from latentveil.errors import InputError

NUM_PEOPLE, NUM_VIDEOS = 30, 4


def answers(probability_of_one: np.ndarray, target: np.ndarray) -> SecretAnswers:
    person = np.repeat(np.arange(NUM_PEOPLE), len(target) // NUM_PEOPLE)
    return SecretAnswers(
        secret="gender",
        kind="temporal",
        metric="average_precision",
        classes=("0", "1"),
        video=np.array([f"v{index:03d}" for index in range(len(person))]),
        group=np.array([f"p{index:02d}" for index in person]),
        target=target,
        frequency=np.array([0.7, 0.3]),
        probabilities={"lda": np.stack([1 - probability_of_one, probability_of_one], axis=1)},
        settings={"lda": []},
    )


TARGET = np.repeat((np.arange(NUM_PEOPLE) % 10 < 3).astype(int), NUM_VIDEOS)


def test_all_are_known_where_it_shows():
    found = infer_by_person(answers(0.2 + 0.6 * TARGET, TARGET))
    assert (found.attack, found.num_people, found.chance) == ("lda", 30, 0.5)
    assert found.average.value == found.worst == 1.0
    assert {name: group.value for name, group in found.by_group.items()} == {"0": 1.0, "1": 1.0}


@pytest.mark.parametrize("answer", [0.3, 0.0, 1.0])  # the frequencies, or always the same class
def test_saying_always_the_same_is_chance(answer):
    found = infer_by_person(answers(np.full(len(TARGET), answer), TARGET))
    assert found.average.value == pytest.approx(0.5)
    assert found.average.low == pytest.approx(0.5)


@pytest.mark.parametrize("always", [0.0, 1.0])
def test_saying_always_the_same_is_chance_where_people_change(always):
    """Each person's class was that of the first video, so that naming the frequent one was worth 0.9."""
    changing = (np.arange(300) % 10 == np.arange(300) // 10 % 10).astype(int)  # one video in ten of everybody
    found = infer_by_person(answers(np.full(300, always), changing))
    assert found.average.value == pytest.approx(0.5)
    assert {name: group.value for name, group in found.by_group.items()} == {"0": 1 - always, "1": always}


def test_every_class_and_person_counts_the_same_as_in_plain_loops():
    random = np.random.default_rng(2)
    target = np.where(
        np.arange(len(TARGET)) < 60, TARGET, random.integers(0, 2, len(TARGET))
    )  # half of them change
    told = answers(random.uniform(0.1, 0.5, len(TARGET)), target)
    right = (told.probabilities["lda"][:, 1] > 0.3) == target
    shares = {
        name: [
            right[(told.group == person) & (target == name)].mean()
            for person in np.unique(told.group[target == name])
        ]
        for name in (0, 1)
    }
    found = infer_by_person(told)
    assert found.average.value == pytest.approx((np.mean(shares[0]) + np.mean(shares[1])) / 2)
    assert found.by_group["1"].value == pytest.approx(np.mean(shares[1]))
    assert found.num_people == NUM_PEOPLE


def test_the_worst_person_is_set_beside_luck():
    guesses = np.random.default_rng(0).uniform(size=len(TARGET)) * 0.6
    found = infer_by_person(answers(guesses, TARGET))
    assert found.average.low < 0.5 < found.average.high
    assert found.worst == 1.0
    assert found.worst_by_luck > 0.95


def test_many_weak_answers_about_one_person_make_a_strong_one():
    """Two of three videos speak for the truth, one as loudly against it: together they are always right."""
    target = np.repeat(np.arange(NUM_PEOPLE) % 2, 3)
    says = np.where(np.arange(len(target)) % 3 == 0, 1 - target, target)
    found = infer_by_person(answers(np.where(says == 1, 0.35, 0.25), target))
    assert found.average.value == pytest.approx(2 / 3)
    assert found.pooled.value == 1.0


def test_pooled_answers_that_know_nothing_stay_at_chance():
    guesses = np.random.default_rng(1).uniform(0.1, 0.5, size=len(TARGET))
    found = infer_by_person(answers(guesses, TARGET))
    assert found.pooled.low < 0.5 < found.pooled.high


def test_nothing_is_pooled_of_people_with_one_video_or_two_values():
    told = answers(0.2 + 0.6 * TARGET, TARGET)
    assert infer_by_person(replace(told, group=told.video)).pooled is None
    changing = np.arange(len(TARGET)) % 2
    assert infer_by_person(replace(told, target=changing)).pooled is None


def test_one_group_can_be_told_and_the_other_not():
    group = np.where(np.arange(len(TARGET)) < 60, "seen", "unseen")
    answer = np.where(group == "seen", 0.2 + 0.6 * TARGET, 0.3)
    found = infer_by_person(answers(answer, TARGET), group=group)
    assert found.by_group["seen"].value == 1.0
    assert found.by_group["unseen"].value == pytest.approx(0.5)
    with pytest.raises(InputError, match="120 values"):
        infer_by_person(answers(answer, TARGET), group=group[:-1])
