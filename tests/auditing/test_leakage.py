"""The audit of one secret: nothing is left in zeros, everything in a copy, and nobody is tested on whom they know."""

import json
from dataclasses import replace

import numpy as np
import pytest

from latentveil.attacks.lda import LDA
from latentveil.auditing import leakage as leakage_module
from latentveil.auditing.answers import attack_secret, shift_prior
from latentveil.auditing.leakage import attack_both, compare_answers
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet

FAST = ("lda", "neighbours")
NUM_PEOPLE, NUM_VIDEOS, NUM_CLIPS, DIM = 10, 8, 2, 16


def scene(*, seed=0):
    """Ten people with eight videos of two clips, split by repetition; gender, skin and person show in every clip."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(NUM_PEOPLE), NUM_VIDEOS)
    looks = random.normal(size=(NUM_PEOPLE, DIM))
    looks[:, 0] = 6.0 * (np.arange(NUM_PEOPLE) < 4)
    looks[:, 1] = 6.0 * (np.arange(NUM_PEOPLE) > 7)
    video = np.array([f"v{index:03d}" for index in range(len(person))])
    row_video = np.repeat(np.arange(len(person)), NUM_CLIPS)
    feature = (looks[person[row_video]] + 0.2 * random.normal(size=(len(row_video), DIM))).astype(np.float32)
    clip = np.tile(np.arange(NUM_CLIPS), len(person))
    rows = len(row_video)
    features = FeatureSet(
        video[row_video], clip, clip * 16, clip * 0.5, np.full(rows, "temporal"), np.zeros(rows, int), feature
    )
    labels = Labels(
        video,
        np.tile(["train"] * 4 + ["val"] * 2 + ["test"] * 2, NUM_PEOPLE),
        np.array([f"p{index}" for index in person]),
        {
            "secret_gender": np.where(person < 4, "1", "0"),
            "secret_skin": np.array(["light", "medium", "dark"])[(person < 4) * 1 + (person > 7) * 2],
            "secret_same": np.full(len(person), "0"),
        },
    )
    return features, labels


@pytest.mark.parametrize("secret", ["gender", "identity", "skin"])
def test_zeros_remove_everything_and_a_copy_nothing(secret):
    raw, labels = scene()
    of_raw = attack_secret(raw, raw, labels, secret, kind="temporal", attacks=FAST)
    zeros = attack_secret(
        raw.with_feature(raw.feature * 0), raw, labels, secret, kind="temporal", attacks=FAST
    )
    gone, kept = compare_answers(of_raw, zeros), compare_answers(of_raw, of_raw)
    assert gone.leakage_removed == 1.0
    assert gone.worst.anonymized.value <= gone.chance + 1e-12
    assert kept.leakage_removed == 0.0
    assert kept.worst.raw == kept.worst.anonymized
    assert kept.worst.raw_attack == kept.worst.attack
    assert kept.worst.raw.value > 0.9


def test_metric_chance_and_groups_follow_the_secret():
    raw, labels = scene()
    gender = attack_both(raw, raw, labels, "gender", kind="temporal", attacks=["lda"]).compare()
    assert (gender.metric, gender.chance, gender.num_groups, gender.num_videos) == (
        "average_precision",
        0.4,
        10,
        20,
    )
    identity = attack_both(raw, raw, labels, "identity", kind="temporal", attacks=["lda"]).compare()
    assert (identity.metric, identity.num_groups) == ("top1", 20)
    assert identity.chance == pytest.approx(0.1)  # a sum, whose last digit depends on the processor


def test_the_worst_attack_is_the_headline_on_either_side():
    raw, labels = scene()
    shuffled = raw.with_feature(np.roll(raw.feature, 5, axis=1))
    leakage = attack_both(
        raw, shuffled, labels, "identity", kind="temporal", attacks=["transfer", "lda"]
    ).compare()
    scores = {name: attack.anonymized.value for name, attack in leakage.attacks.items()}
    assert leakage.worst.attack == "lda"
    assert scores["lda"] > 0.95 > scores["transfer"]
    assert leakage.leakage_removed == pytest.approx(0.0, abs=0.06)


def test_half_removed_by_hand():
    """Raw answers are all right, anonymized ones for half of the videos; guessing among ten people gives a tenth.

    So 0.9 above chance become 0.4: 1 - 0.4 / 0.9 is gone.
    """
    raw, labels = scene()
    split = np.tile(["train"] * 3 + ["val"] + ["test"] * 4, NUM_PEOPLE)  # of twenty videos none may be luck
    labels = replace(labels, split=split)
    answers = attack_secret(raw, raw, labels, "identity", kind="temporal", attacks=["lda"])
    wrong = answers.probabilities["lda"].copy()
    wrong[::2] = np.roll(wrong[::2], 1, axis=1)
    other = type(answers)(**{**vars(answers), "probabilities": {"lda": wrong}})
    leakage = compare_answers(answers, other)
    assert (leakage.worst.raw.value, leakage.worst.anonymized.value) == (1.0, 0.5)
    assert leakage.leakage_removed == pytest.approx(1 - 0.4 / 0.9)
    interval = leakage.leakage_removed_interval
    assert interval.low < leakage.leakage_removed < interval.high


def test_what_lies_below_chance_for_certain_is_not_all_gone():
    """Nobody is ever named rightly, where guessing gives a tenth: 0.1 of the 0.9 above chance counts as left."""
    raw, labels = scene()
    split = np.tile(["train"] * 3 + ["val"] + ["test"] * 4, NUM_PEOPLE)  # of twenty videos none may be luck
    labels = replace(labels, split=split)
    answers = attack_secret(raw, raw, labels, "identity", kind="temporal", attacks=["lda"])
    wrong = np.roll(answers.probabilities["lda"], 1, axis=1)
    other = type(answers)(**{**vars(answers), "probabilities": {"lda": wrong}})
    found = compare_answers(answers, other)
    assert found.leakage_removed == pytest.approx(1 - 0.1 / 0.9)
    assert found.learned.value == pytest.approx(0.1 / 0.9)


def test_nothing_to_remove_where_raw_features_do_not_leak():
    raw, labels = scene()
    zeros = raw.with_feature(raw.feature * 0)
    leakage = attack_both(zeros, zeros, labels, "gender", kind="temporal", attacks=["lda"]).compare()
    assert leakage.leakage_removed is None
    assert leakage.to_dict()["leakage_removed_interval"] is None


@pytest.mark.parametrize(
    ("low", "is_told"), [(0.45, True), (0.4, False), (0.35, False), (float("nan"), False)]
)
def test_a_dash_stands_exactly_where_the_raw_interval_shown_does_not_lie_above_guessing(
    monkeypatch, low, is_told
):
    """Where 0.4 is guessing. The interval of the excess, which a reader does not see, has no say.

    An unknown interval does not lie above anything.
    """
    raw, labels = scene()
    answers = attack_secret(raw, raw, labels, "gender", kind="temporal", attacks=["lda"])
    real = leakage_module.interval_over_groups

    def shown(statistic, groups, **options):
        found = real(statistic, groups, **options)
        return replace(found, low=low) if found.value == answers.value("lda") else found

    monkeypatch.setattr(leakage_module, "interval_over_groups", shown)
    found = compare_answers(answers, answers)
    assert found.chance == 0.4
    assert (found.leakage_removed is not None) == is_told
    assert (found.leakage_removed_interval is not None) == is_told


def test_of_three_people_nothing_is_told_where_their_interval_is_unknown():
    """Halves of three people hold one person each, so gender is told apart in none of them."""
    raw, labels = scene()
    split = np.repeat(["test"] + ["train"] * 3 + ["test"] * 2 + ["train"] * 2 + ["val"] * 2, NUM_VIDEOS)
    split[NUM_VIDEOS] = "val"  # of either gender
    hidden = raw.with_feature(raw.feature + 4 * np.random.default_rng(0).normal(size=raw.feature.shape))
    found = attack_both(
        hidden, raw, replace(labels, split=split), "gender", kind="temporal", attacks=["lda"], floor=1
    ).compare()
    assert found.num_groups == 3
    assert found.chance < found.worst.raw.value < 1
    assert np.isnan(found.worst.raw.low)
    assert (found.leakage_removed, found.leakage_removed_over_floor) == (None, None)


def test_progress_tells_every_attack_on_either_side():
    raw, labels = scene()
    told = []
    attack_both(raw, raw, labels, "gender", kind="temporal", attacks=FAST, on_progress=told.append)
    assert {step.note for step in told} == set(FAST)
    assert {(step.stage, step.total) for step in told} == {("gender, temporal clips", 2)}
    done = [step.done for step in told]
    half = len(done) // 2
    assert done[:half] == done[half:] == sorted(done[:half])
    assert done.count(2) == 2  # the last of either side


def test_the_json_has_the_keys_of_the_design():
    raw, labels = scene()
    found = attack_both(raw, raw, labels, "gender", kind="temporal", attacks=["lda"]).compare().to_dict()
    found = json.loads(json.dumps(found, allow_nan=False))
    assert {"kind", "chance", "attacks", "worst", "leakage_removed"} <= found.keys()
    assert {"value", "low", "high", "details"} == found["attacks"]["lda"]["raw"].keys()
    assert {"cmap", "top1", "f1", "f1_logit"} == found["attacks"]["lda"]["anonymized"]["details"].keys()
    assert {"raw", "anonymized", "attack", "raw_attack"} == found["worst"].keys()


def test_an_attack_is_an_object_or_a_name_and_no_name_is_given_twice():
    raw, labels = scene()
    attacks = [LDA(), "neighbours"]
    found = attack_secret(raw, raw, labels, "gender", kind="temporal", attacks=attacks)
    assert list(found.probabilities) == ["lda", "neighbours"]
    with pytest.raises(InputError, match="attacks must have a name each, got 'lda' twice"):
        attack_secret(raw, raw, labels, "gender", kind="temporal", attacks=[LDA(), "lda"])


def test_other_clips_are_refused():
    raw, labels = scene()
    with pytest.raises(InputError, match="same clips"):
        attack_both(raw, raw.select(np.arange(len(raw))[::-1]), labels, "gender", kind="temporal")
    with pytest.raises(InputError, match="160 rows"):
        attack_both(raw, raw.select(np.arange(10)), labels, "gender", kind="temporal")
    with pytest.raises(InputError, match="static"):
        attack_both(raw, raw, labels, "gender", kind="static")
    with pytest.raises(InputError, match="two classes"):
        attack_both(raw, raw, labels, "same", kind="temporal")


def test_shifting_the_prior_by_hand():
    shifted = shift_prior(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([0.2, 0.8]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(shifted, [[0.8, 0.2], [0.5, 0.5]])


def test_a_model_that_knows_nothing_ranks_no_fold_above_another():
    """Answers equal to each fold's own frequencies become one and the same answer."""
    common = np.array([0.3, 0.7])
    priors = [np.array([0.25, 0.75]), np.array([1 / 3, 2 / 3]), np.array([0.31, 0.69])]
    answers = np.concatenate([shift_prior(prior[None], prior, common) for prior in priors])
    assert len(np.unique(answers[:, 1])) == 1


@pytest.mark.parametrize(("tested", "removed"), [([3, 9], None), ([2, 3, 5, 6, 8, 9], 0.0)])
def test_six_people_to_test_on_are_enough_to_see_what_is_plain_and_two_may_be_luck(tested, removed):
    """Halves that hold one gender only say nothing, also not that nothing can be read."""
    raw, labels = scene()
    person = np.repeat(np.arange(NUM_PEOPLE), NUM_VIDEOS)
    split = np.where(np.isin(person, tested), "test", np.where(person == 7, "val", "train"))
    found = attack_both(
        raw, raw, replace(labels, split=split), "gender", kind="temporal", attacks=["lda"]
    ).compare()
    assert (found.num_groups, found.worst.raw.value) == (len(tested), 1.0)
    assert found.leakage_removed == removed


def test_who_knows_ten_people_guesses_among_ten():
    raw, labels = scene()
    tested = np.isin(labels.person, ["p0", "p1"])
    split = np.where((labels.split == "test") & ~tested, "train", labels.split)
    found = attack_secret(
        raw, raw, replace(labels, split=split), "identity", kind="temporal", attacks=["lda"]
    )
    assert len(np.unique(found.target)) == 2
    assert found.chance == pytest.approx(0.1)
