"""The map of the features names no people unless they may be named."""

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
