"""Who knows people from one day and is asked about another sees through the new place, and through nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.attacks import load_attacks
from latentveil.auditing.answers import attack_secret
from latentveil.auditing.finished import FinishedWork
from latentveil.auditing.leakage import attack_both
from latentveil.auditing.sides import RECORDINGS_CENTRED
from latentveil.labels import Labels
from latentveil.types import FeatureSet

NUM_PEOPLE, DIM = 20, 16
FAST = ("lda", "neighbours", "retrieval")
MONDAY, TUESDAY = "monday", "tuesday"


def scene(*, days=(MONDAY,) * 5 + (TUESDAY,) * 2, looks=1.0, noise=0.3, day_size=5.0, seed=0):
    """Features are somebody's looks, the day's offset, and noise; each person's last two videos are asked about."""
    random = np.random.default_rng(seed)
    person, day = np.repeat(np.arange(NUM_PEOPLE), len(days)), np.tile(days, NUM_PEOPLE)
    names, place = np.unique(day, return_inverse=True)
    feature = looks * random.normal(size=(NUM_PEOPLE, DIM))[person]
    feature = feature + day_size * random.normal(size=(len(names), DIM))[place]
    feature = feature + noise * random.normal(size=feature.shape)
    video, zeros = np.array([f"v{index:03d}" for index in range(len(day))]), np.zeros(len(day), dtype=int)
    kind = np.full(len(day), "temporal")
    labels = Labels(
        video,
        np.tile(np.array(["train"] * 3 + ["val"] * 2 + ["test"] * 2), NUM_PEOPLE),
        np.array([f"p{index:02d}" for index in person]),
        {"secret_gender": np.where(person % 2, "1", "0")},
        recording=day,
    )
    return FeatureSet(
        video, zeros, zeros, zeros.astype(float), kind, kind, feature.astype(np.float32)
    ), labels


def identity(raw, labels, **options):
    return attack_secret(raw, raw, labels, "identity", kind="temporal", **({"attacks": FAST} | options))


@pytest.mark.parametrize("attack", FAST)
def test_people_known_from_one_day_are_named_on_another(attack):
    raw, labels = scene()
    blind = identity(raw, replace(labels, recording=None), attacks=[attack])
    seeing = identity(raw, labels, attacks=[attack])
    assert blind.value(attack) < 0.3
    assert seeing.value(attack) > 0.95
    assert seeing.settings[attack][0].items() >= RECORDINGS_CENTRED.items()


def test_several_known_days_are_not_enough_to_learn_what_days_do():
    raw, labels = scene(days=(MONDAY, TUESDAY, MONDAY, TUESDAY, MONDAY, "friday", "friday"))
    assert identity(raw, replace(labels, recording=None)).value("lda") < 0.3
    assert identity(raw, labels).value("lda") > 0.95


def test_pure_noise_gives_guessing():
    found = [
        np.mean([identity(*scene(looks=0.0, seed=seed)).value(name) for name in FAST]) for seed in range(12)
    ]
    assert np.mean(found) == pytest.approx(1 / NUM_PEOPLE, abs=0.02)


@pytest.mark.parametrize(
    "days",
    [(MONDAY, TUESDAY, MONDAY, MONDAY, TUESDAY, MONDAY, TUESDAY), (MONDAY,) * 7],
    ids=["both days known", "one day"],
)
def test_answers_stay_the_same_where_asked_days_are_known(days):
    raw, labels = scene(days=days, noise=1.5)
    _same(identity(raw, labels), identity(raw, replace(labels, recording=None)))


def test_answers_stay_the_same_where_a_day_shows_one_person():
    raw, labels = scene(noise=1.5)
    alone = replace(labels, recording=np.char.add(labels.recording, labels.person))
    _same(identity(raw, alone), identity(raw, replace(labels, recording=None)))


def test_attributes_are_asked_of_strangers_and_stay_the_same():
    raw, labels = scene()
    found = [
        attack_secret(raw, raw, one, "gender", kind="temporal", attacks=FAST)
        for one in (labels, replace(labels, recording=None))
    ]
    _same(*found)


def _same(one, other):
    for name in FAST:
        np.testing.assert_array_equal(one.probabilities[name], other.probabilities[name])
    assert one.settings == other.settings


def test_validation_keeps_features_as_they_are_where_that_is_clearly_better():
    """The day tells the person: the mean of everybody on it, taken away, is what told them apart."""
    raw, labels = scene(days=(MONDAY,) * 3 + (TUESDAY,) * 2 + ("friday",) * 2, looks=0.0)
    random = np.random.default_rng(1)
    own = {name: 9.0 * random.normal(size=DIM) for name in np.unique(labels.person)}
    told = raw.with_feature(raw.feature + np.stack([own[name] for name in labels.person]).astype(np.float32))
    spoilt = told.feature.copy()
    for day in np.unique(labels.recording):  # one video of each day so large that it is all of the mean
        spoilt[np.flatnonzero(labels.recording == day)[0]] += 1e4 * random.normal(size=DIM)
    found = identity(told.with_feature(spoilt), labels, attacks=["retrieval"])
    assert "recordings" not in found.settings["retrieval"][0]


def test_the_audit_says_so_of_raw_and_of_anonymized_features_with_every_attack():
    raw, labels = scene()
    random = np.random.default_rng(2)
    draws = [
        raw.with_feature((raw.feature + 0.2 * random.normal(size=raw.feature.shape)).astype(np.float32))
        for _ in range(3)
    ]
    found = attack_both(
        raw,
        draws[0],
        labels,
        "identity",
        kind="temporal",
        attacks=["informed", "lda", "paired", "transfer"],
        redrawn=draws[1:],
    ).compare()
    for attack in found.attacks.values():
        assert attack.raw.value > 0.9
        assert attack.anonymized.value > 0.9


def test_an_audit_that_goes_on_chooses_alike(tmp_path):
    raw, labels = scene()
    kept = [FinishedWork.below(tmp_path, "x").attack(attack) for attack in load_attacks(FAST)]
    first, second = (identity(raw, labels, attacks=kept) for _ in range(2))
    assert len(list(tmp_path.rglob("*.npz"))) == 2 * len(FAST)
    _same(first, second)
    _same(first, identity(raw, labels))
