"""Nobody is learned from and asked about, and everybody is asked about once."""

import numpy as np
import pytest

from latentveil.auditing.risks.people import people_folds
from latentveil.errors import InputError


def people_of(person, mask):
    return set(person[mask].tolist())


@pytest.mark.parametrize("num_people", [4, 10, 40, 80])
def test_dealt_folds_keep_people_apart_and_ask_about_all(num_people):
    person = np.repeat([f"p{index:02d}" for index in range(num_people)], 3)
    folds = people_folds(person, np.full(len(person), "train"), seed=0)
    for fold in folds:
        for learn, choose_on in fold.trials:
            parts = [people_of(person, mask) for mask in (learn, choose_on, fold.test)]
            assert all(parts)
            assert sum(map(len, parts)) == num_people == len(set.union(*parts))
    assert (sum(fold.test.astype(int) for fold in folds) == 1).all()


def test_own_split_of_people_is_kept():
    person = np.repeat([f"p{index:02d}" for index in range(30)], 3)
    split = np.repeat(["train"] * 10 + ["val"] * 8 + ["test"] * 12, 3)
    [fold] = people_folds(person, split, seed=0)
    assert (fold.test == (split == "test")).all()
    assert (fold.trials[0][1] == (split == "val")).all()
    assert (fold.known == (split != "test")).all()


def test_without_validation_people_half_of_the_known_ones_choose():
    person = np.repeat([f"p{index:02d}" for index in range(30)], 3)
    split = np.repeat(["train"] * 18 + ["test"] * 12, 3)
    [fold] = people_folds(person, split, seed=0)
    assert len(fold.trials) == 2
    assert [len(people_of(person, mask)) for mask in fold.trials[0]] == [9, 9]


@pytest.mark.parametrize(("num_known", "num_trials"), [(38, 2), (40, 1)])
def test_of_many_known_people_one_half_chooses(num_known, num_trials):
    person = np.repeat([f"p{index:02d}" for index in range(num_known + 12)], 3)
    split = np.repeat(["train"] * num_known + ["test"] * 12, 3)
    [fold] = people_folds(person, split, seed=0)
    assert len(fold.trials) == num_trials
    assert [len(people_of(person, mask)) for mask in fold.trials[0]] == [num_known // 2] * 2
    assert len(people_of(person, fold.known)) == num_known


def test_test_videos_are_asked_about_where_splits_share_people():
    person = np.repeat([f"p{index:02d}" for index in range(12)], 4)
    split = np.tile(["train", "train", "test", "test"], 12)
    folds = people_folds(person, split, seed=0)
    assert (sum(fold.test.astype(int) for fold in folds) == (split == "test")).all()


def test_people_with_one_video_do_not_make_a_crowd():
    person = np.array(["a", "a", "b", "b", "c", "c", *(f"once{index}" for index in range(20))])
    with pytest.raises(InputError, match="got 3"):
        people_folds(person, np.full(len(person), "train"), seed=0)
