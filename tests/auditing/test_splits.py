"""No fold lets an attacker know a person it is tested on, whatever the labels look like."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from latentveil.auditing.splits import attack_folds
from latentveil.errors import InputError
from latentveil.labels import Labels


def labels_of(people, genders, splits):
    """One video per entry; ``genders`` maps a person to the secret."""
    return Labels(
        video=np.array([f"v{index:03d}" for index in range(len(people))]),
        split=np.array(splits),
        person=np.array(people),
        columns={"secret_gender": np.array([genders[person] for person in people])},
    )


def by_repetition(num_people=10, repetitions=4):
    """Each person with four repetitions: two for training, one for validation, one for testing."""
    people = [f"p{person}" for person in range(num_people) for _ in range(repetitions)]
    splits = ["train", "train", "val", "test"] * num_people
    return labels_of(people, {f"p{person}": str(int(person < 4)) for person in range(num_people)}, splits)


def people_of(labels, videos):
    return set(labels.lookup("person", list(videos)))


@settings(deadline=None, max_examples=60)
@given(
    people=st.lists(st.integers(0, 11), min_size=8, max_size=40),
    genders=st.lists(st.sampled_from("ab"), min_size=12, max_size=12),
    splits=st.lists(st.sampled_from(["train", "val", "test"]), min_size=40, max_size=40),
    seed=st.integers(0, 3),
)
def test_parts_never_share_a_person_or_a_video(people, genders, splits, seed):
    shown = [genders[person] for person in set(people)]
    assume(min(shown.count("a"), shown.count("b")) >= 2)
    labels = labels_of(
        [f"p{p:02d}" for p in people], {f"p{p:02d}": g for p, g in enumerate(genders)}, splits[: len(people)]
    )
    folds = attack_folds(labels, "gender", seed=seed)
    assert folds
    for fold in folds:
        parts = [fold.train, fold.validation, fold.test]
        assert all(parts)
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert not set(parts[one]) & set(parts[other])
            assert not people_of(labels, parts[one]) & people_of(labels, parts[other])
    tested = [video for fold in folds for video in fold.test]
    assert len(tested) == len(set(tested))


def test_a_split_by_repetition_becomes_folds_that_test_everybody_once_on_test_videos():
    labels = by_repetition()
    folds = attack_folds(labels, "gender", seed=0)
    assert len(folds) == 5
    assert sorted(video for fold in folds for video in fold.test) == labels.videos("test")
    for fold in folds:
        assert set(labels.lookup("gender", list(fold.train))) == {"0", "1"}
        assert set(labels.lookup("gender", list(fold.validation))) == {"0", "1"}


def test_identity_keeps_the_split_that_knows_everybody():
    labels = by_repetition()
    [fold] = attack_folds(labels, "identity", seed=0)
    assert [list(part) for part in (fold.train, fold.validation, fold.test)] == [
        labels.videos(split) for split in ("train", "val", "test")
    ]


def test_identity_under_a_split_by_person_is_split_by_video():
    people = [f"p{person}" for person in range(6) for _ in range(5)]
    splits = [split for split in ("train", "train", "train", "train", "val", "test") for _ in range(5)]
    labels = labels_of(people, dict.fromkeys(people, "0"), splits)
    for fold in attack_folds(labels, "identity", seed=0):
        assert people_of(labels, fold.test) <= people_of(labels, fold.train)


def test_a_split_by_person_is_kept():
    people = [f"p{person}" for person in range(8) for _ in range(2)]
    splits = [split for split in ["train"] * 4 + ["val"] * 2 + ["test"] * 2 for _ in range(2)]
    labels = labels_of(people, {f"p{person}": str(person % 2) for person in range(8)}, splits)
    [fold] = attack_folds(labels, "gender", seed=0)
    assert list(fold.test) == labels.videos("test")
    assert list(fold.train) == labels.videos("train")


def test_a_missing_validation_part_is_taken_from_training():
    labels = by_repetition()
    without = Labels(
        labels.video, np.where(labels.split == "val", "train", labels.split), None, labels.columns
    )
    [fold] = attack_folds(without, "gender", seed=0)
    assert list(fold.test) == labels.videos("test")
    assert sorted(fold.train + fold.validation) == without.videos("train")
    assert len(fold.validation) > 0


def test_videos_without_a_value_are_left_out():
    labels = by_repetition()
    labels.columns["secret_gender"][:8] = ""
    used = {
        video
        for fold in attack_folds(labels, "gender", seed=0)
        for video in fold.train + fold.validation + fold.test
    }
    assert used == set(labels.video[8:].tolist())


def test_many_people_are_tested_in_one_fold():
    people = [f"p{person}" for person in range(100) for _ in range(4)]
    genders = {f"p{person}": str(person % 2) for person in range(100)}
    [fold] = attack_folds(
        labels_of(people, genders, ["train", "train", "val", "test"] * 100), "gender", seed=0
    )
    assert len(fold.test) == 20


def test_many_people_are_tested_until_two_classes_are():
    labels = by_repetition(num_people=100)  # four of them differ
    folds = attack_folds(labels, "gender", seed=0)
    assert len(folds) < 5
    assert {gender for fold in folds for gender in labels.lookup("gender", list(fold.test))} == {"0", "1"}


def test_few_test_videos_of_many_people_are_all_tested():
    people = [f"p{person:03d}" for person in range(120)] + ["p119"]
    splits = ["train"] * 100 + ["val"] * 15 + ["test"] * 5 + ["train"]
    labels = labels_of(people, {f"p{person:03d}": str(person % 2) for person in range(120)}, splits)
    for seed in range(5):
        folds = attack_folds(labels, "gender", seed=seed)
        assert sorted(video for fold in folds for video in fold.test) == labels.videos("test")


def test_a_test_split_of_one_class_is_not_what_an_attack_is_graded_on():
    people = [f"p{person}" for person in range(10) for _ in range(6)]
    splits = [split for split in ["train"] * 6 + ["val"] * 2 + ["test"] * 2 for _ in range(6)]
    labels = labels_of(
        people, {f"p{person}": str(int(person < 6 and person % 2)) for person in range(10)}, splits
    )
    assert set(labels.lookup("gender", labels.videos("test"))) == {"0"}
    folds = attack_folds(labels, "gender", seed=0)
    assert sorted(video for fold in folds for video in fold.test) == sorted(labels.video)


def test_a_person_with_one_video_is_not_asked_for():
    people = [f"p{person}" for person in range(5) for _ in range(8)] + [
        f"single{index}" for index in range(40)
    ]
    labels = labels_of(people, dict.fromkeys(people, "0"), ["train"] * len(people))
    folds = attack_folds(labels, "identity", seed=0)
    tested = [video for fold in folds for video in fold.test]
    assert people_of(labels, tested) == {f"p{person}" for person in range(5)}
    assert len(tested) == 40


def test_videos_of_nobody_in_particular_stand_alone():
    people = [f"p{index // 3}" for index in range(30)] + [""] * 30
    genders = [str(index // 3 % 2) for index in range(60)]
    labels = Labels(
        video=np.array([f"v{index:03d}" for index in range(60)]),
        split=np.array((["train"] * 18 + ["val"] * 6 + ["test"] * 6) * 2),
        person=np.array(people),
        columns={"secret_gender": np.array(genders)},
    )
    [fold] = attack_folds(labels, "gender", seed=0)
    assert list(fold.test) == labels.videos("test")


def test_folds_follow_the_seed():
    labels = by_repetition()
    first, second, other = (attack_folds(labels, "gender", seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_one_person_of_a_class_is_refused():
    genders = {f"p{person}": str(int(person == 0)) for person in range(10)}
    people = [f"p{person}" for person in range(10) for _ in range(4)]
    labels = labels_of(people, genders, ["train", "train", "val", "test"] * 10)
    with pytest.raises(
        InputError, match=r"secret 'gender' must have .* at least two people each, got 9 of '0', 1 of '1'"
    ):
        attack_folds(labels, "gender", seed=0)
