"""The map of the features names no people unless they may be named."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing.extras import MAP_CLASSES, feature_map


@pytest.mark.parametrize("name_people", [False, True])
def test_people_are_numbered_unless_they_may_be_named(toy, name_people):
    found = feature_map(toy.features, toy.features, toy.labels, secrets=["gender"], name_people=name_people)
    people = sorted(set(toy.labels.person.tolist()))[:MAP_CLASSES]
    numbered = [f"person {number}" for number in range(1, len(people) + 1)]
    assert found.secret == "identity"
    assert found.names == (people if name_people else numbered)
    assert len(set(found.classes)) == len(people)


def test_nobody_is_no_person_of_the_map(toy):
    person = toy.labels.person.copy()
    person[::3] = ""
    found = feature_map(
        toy.features, toy.features, replace(toy.labels, person=person), secrets=["gender"], name_people=True
    )
    assert found.names == sorted(set(person.tolist()) - {""})
    assert (
        len(found.classes)
        == np.isin(toy.features.video, toy.labels.video[person != ""])[toy.features.kind == "temporal"].sum()
    )
