"""The floor: pure noise is graded at it, not at chance, and dealing the values anew keeps all but who has which."""

import json

import numpy as np
import pytest

from latentveil.auditing.answers import attack_secret
from latentveil.auditing.floor import Floor, deal_secret, measure_floor
from latentveil.auditing.leakage import attack_both
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet

ATTACKS = ("neighbours", "retrieval")
NUM_PEOPLE, NUM_VIDEOS, DIM = 10, 4, 8


def people(*, seed):
    """Ten people, four of them women, with four videos each; the features tell both, and are the same in all videos."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(NUM_PEOPLE), NUM_VIDEOS)
    looks = random.normal(size=(NUM_PEOPLE, DIM))
    looks[:, 0] = 8.0 * (np.arange(NUM_PEOPLE) < 4)
    rows = len(person)
    video = np.array([f"v{index:03d}" for index in range(rows)])
    feature = looks[person] + 0.1 * random.normal(size=(rows, DIM))
    zeros = np.zeros(rows, int)
    features = FeatureSet(
        video, zeros, zeros, zeros * 0.0, np.full(rows, "static"), zeros, feature.astype(np.float32)
    )
    split = np.tile(["train"] * 2 + ["val", "test"], NUM_PEOPLE)
    gender = np.where(person < 4, "1", "0")
    labels = Labels(video, split, np.array([f"p{index}" for index in person]), {"secret_gender": gender})
    return features, labels


def nobody(features, *, seed):
    """Features that tell nothing: every person has looks that were drawn by lot."""
    random = np.random.default_rng(seed)
    looks = random.normal(size=(NUM_PEOPLE, DIM)).repeat(NUM_VIDEOS, axis=0)
    return features.with_feature((looks + 0.1 * random.normal(size=looks.shape)).astype(np.float32))


def test_looks_that_tell_nothing_are_graded_above_chance_but_not_above_the_floor():
    """Single draws scatter with ten people, so means over draws are compared, within four standard errors."""
    above_chance, above_floor = [], []
    for seed in range(10):
        raw, labels = people(seed=seed)
        noise = nobody(raw, seed=100 + seed)
        options = {"kind": "static", "attacks": ATTACKS, "seed": seed}
        found = attack_secret(noise, raw, labels, "gender", **options)
        best = max(found.value(name) for name in ATTACKS)
        floor = measure_floor(noise, raw, labels, "gender", repeats=2, **options)
        above_chance.append(best - found.chance)
        above_floor.append(best - found.chance - floor.mean_excess)
    error = np.std(above_floor, ddof=1) / np.sqrt(len(above_floor))
    assert abs(np.mean(above_floor)) < 4 * error
    assert np.mean(above_chance) > np.mean(above_floor) + 0.1


def test_what_is_removed_above_the_floor_by_hand():
    """Raw 1.0 and anonymized as raw: nothing is removed; zeros, below any floor: everything."""
    raw, labels = people(seed=0)
    options = {"kind": "static", "attacks": ATTACKS, "floor": 2}
    kept = attack_both(raw, raw, labels, "gender", **options).compare().to_dict()
    gone = (
        attack_both(raw, raw.with_feature(raw.feature * 0), labels, "gender", **options).compare().to_dict()
    )
    assert kept["leakage_removed_over_floor"] == 0.0
    assert gone["leakage_removed_over_floor"] == 1.0
    assert gone["floor"]["value"] == pytest.approx(gone["chance"])  # nobody learns anything from zeros
    json.dumps(kept, allow_nan=False)


def test_half_way_between_floor_and_raw_is_half_removed():
    floor = Floor((0.1, 0.3))
    assert floor.mean_excess == pytest.approx(0.2)
    found = floor.level(0.4)
    assert found.value == pytest.approx(0.6)
    assert found.repeats == pytest.approx([0.5, 0.7])
    assert found.spread == pytest.approx(np.sqrt(0.02))
    assert Floor((0.1,)).level(0.4).spread is None
    with pytest.raises(InputError, match="at least one repeat"):
        Floor(())


def test_without_a_floor_nothing_is_told_of_it():
    raw, labels = people(seed=0)
    found = attack_both(raw, raw, labels, "gender", kind="static", attacks=["lda"]).compare()
    assert (
        found.floor is found.leakage_removed_over_floor is found.leakage_removed_over_floor_interval is None
    )


def test_people_change_places_as_wholes_and_no_value_is_lost():
    _, labels = people(seed=0)
    dealt = deal_secret(labels, "gender", random=np.random.default_rng(1))
    value = {
        person: set(dealt.column("gender")[dealt.person == person]) for person in np.unique(labels.person)
    }
    assert all(len(values) == 1 for values in value.values())
    assert sorted(min(values) for values in value.values()) == ["0"] * 6 + ["1"] * 4
    assert (dealt.column("gender") != labels.column("gender")).any()
    np.testing.assert_array_equal(dealt.split, labels.split)
    np.testing.assert_array_equal(dealt.person, labels.person)


def test_every_split_keeps_its_own_values():
    """Identity, and a secret without people: videos change places, within their split."""
    _, labels = people(seed=0)
    alone = Labels(labels.video, labels.split, None, labels.columns)
    for known, secret in ((labels, "identity"), (alone, "gender")):
        dealt = deal_secret(known, secret, random=np.random.default_rng(2))
        assert (dealt.column(secret) != known.column(secret)).any()
        for split in ("train", "val", "test"):
            rows = known.split == split
            assert sorted(dealt.column(secret)[rows]) == sorted(known.column(secret)[rows])


def test_a_secret_that_changes_within_a_person_is_dealt_among_videos_and_gaps_stay_gaps():
    _, labels = people(seed=0)
    hat = np.tile(["1", "0", "", "1"], NUM_PEOPLE)
    labels = Labels(labels.video, labels.split, labels.person, {"secret_hat": hat})
    dealt = deal_secret(labels, "hat", random=np.random.default_rng(3)).column("hat")
    np.testing.assert_array_equal(dealt == "", hat == "")
    assert (dealt == "1").sum() == (hat == "1").sum()
    assert (dealt != hat).any()


def test_the_floor_repeats_itself_and_differs_between_repeats():
    raw, labels = people(seed=0)
    first, again = (
        measure_floor(raw, raw, labels, "identity", kind="static", repeats=3, attacks=["lda"], seed=5)
        for _ in range(2)
    )
    assert first == again
    assert len(set(first.excess)) > 1
    assert max(first.excess) < 0.3
