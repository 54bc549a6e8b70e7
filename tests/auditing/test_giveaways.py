"""Secrets that names and lengths of videos give away, whatever is done to the features."""

import numpy as np
import pytest

from latentveil.auditing.giveaways import flag_giveaways
from latentveil.labels import Labels
from latentveil.types import FeatureSet

PERSON = np.repeat(np.arange(20), 6)
GENDER = PERSON % 2


def flags(names, *, clips=None, secrets=("identity", "gender")):
    labels = Labels(
        np.array(names),
        np.full(len(names), "test"),
        np.array([f"person {number}" for number in PERSON]),
        columns={"secret_gender": GENDER.astype(str)},
    )
    counts = np.full(len(names), 2) if clips is None else clips
    rows = {name: np.zeros((count, 3), dtype=np.float32) for name, count in zip(names, counts)}
    found = flag_giveaways(FeatureSet.from_arrays(rows), labels, secrets, seed=0)
    return {(flag.flag, flag.why.partition(":")[0]): flag.why for flag in found}


def numbered():
    order = np.random.default_rng(0).permutation(len(PERSON))
    return [f"v{number:03d}" for number in order]


def test_names_that_say_nothing_have_no_flag():
    assert flags(numbered()) == {}


def test_names_of_people_in_names_of_videos_are_told():
    names = [f"tennis_p{person:02d}_{place}" for place, person in enumerate(PERSON)]
    found = flags(names)
    assert list(found) == [("told_by_names", "Identity")]
    assert "Part 2 of the name alone is 100% of the way from guessing to certainty" in next(
        iter(found.values())
    )


def test_an_attribute_is_told_by_what_other_people_have_too():
    """A person's own name says nothing of a stranger; a letter that all of a gender share does."""
    names = [f"{'fm'[gender]}/{number}" for number, gender in zip(numbered(), GENDER)]
    assert ("told_by_names", "Gender") in flags(names)


def test_lengths_that_go_with_an_attribute_are_told():
    lengths = np.where(GENDER == 1, 4, 2)
    found = flags(numbered(), clips=lengths)
    assert list(found) == [("told_by_length", "Gender")]
    assert "100% of the way" in found["told_by_length", "Gender"]


@pytest.mark.parametrize("seed", range(5))
def test_lengths_by_chance_are_not(seed):
    """Nor where all videos of a person are of one length: twenty people are not 120."""
    random = np.random.default_rng(seed)
    assert flags(numbered(), clips=random.integers(1, 5, size=len(PERSON))) == {}
    of_person = random.integers(1, 4, size=20)[PERSON]
    assert flags(numbered(), clips=of_person, secrets=["gender"]) == {}


def test_unknown_values_are_left_out_and_one_value_tells_nothing():
    names = numbered()
    labels = Labels(
        np.array(names), np.full(len(names), "test"), None, columns={"secret_hat": np.full(len(names), "")}
    )
    features = FeatureSet.from_arrays({name: np.zeros((1, 3), dtype=np.float32) for name in names})
    assert flag_giveaways(features, labels, ["hat"], seed=0) == []
