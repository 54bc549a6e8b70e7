"""Flags of a whole audit: one sentence each, naming the numbers it is about."""

from dataclasses import replace

import numpy as np

from latentveil.auditing.trust import flag_release, flag_results
from latentveil.results.risks import Risks
from latentveil.types import Interval


def by_name(flags):
    found = {flag.flag: flag.why for flag in flags}
    assert len(found) == len(flags)
    return found


def test_readings_with_the_same_trouble_share_a_flag(reading):
    readings = [replace(reading(name, raw=1.0), num_groups=8) for name in ("gender", "hat")]
    found = by_name(flag_results(readings, Risks(), num_people=8))
    assert set(found) == {"too_few_people", "raw_at_ceiling"}
    for why in found.values():
        assert why.startswith("Gender, read from stored clips; hat, read from stored clips: ")
        assert why.endswith(".")
    assert "only 8 people" in found["too_few_people"]


def test_identity_is_about_people_although_its_intervals_are_over_videos(reading):
    one = replace(reading("identity"), num_groups=500)
    assert set(by_name(flag_results([one], Risks(), num_people=8))) == {"too_few_people"}
    assert flag_results([one], Risks(), num_people=55) == []
    assert flag_results([replace(one, num_groups=5)], Risks(), num_people=None) == []


def test_raw_features_that_show_nothing_are_named(reading):
    nothing = replace(reading("gender", raw=0.12, removed=None), num_groups=50)
    found = by_name(flag_results([nothing, reading()], Risks(), num_people=50))
    assert set(found) == {"raw_not_above_chance"}
    assert found["raw_not_above_chance"].startswith(
        "Gender, read from stored clips: raw features reach 0.120"
    )


def test_raw_features_of_an_unknown_interval_are_named_without_nan(reading):
    """Three people: the value lies above guessing, and nobody knows by how much."""
    few = replace(reading("gender", raw=0.687, removed=None), num_groups=50)
    unknown = Interval(0.687, float("nan"), float("nan"))
    few = replace(few, worst=replace(few.worst, raw=unknown))
    found = by_name(flag_results([few], Risks(), num_people=50))
    why = found["raw_not_above_chance"]
    assert "raw features reach 0.687, guessing 0.100, and the interval is unknown" in why
    assert "nan" not in why


def release(toy, feature, *, num_redrawn=0, copies_for_risks=0, attacks=("lda",)):
    anonymized = toy.features.with_feature(feature.astype(np.float32))
    return by_name(
        flag_release(
            toy.features,
            anonymized,
            toy.labels,
            kind="temporal",
            attacks=attacks,
            num_redrawn=num_redrawn,
            copies_for_risks=copies_for_risks,
            seed=0,
        )
    )


def test_a_mere_scaling_is_told_from_a_constant_and_from_noise(toy):
    raw = toy.features.feature
    assert "scaling_only" in release(toy, 3 * raw + 1)
    assert "scaling_only" not in release(toy, np.full_like(raw, 0.1))
    assert "scaling_only" not in release(toy, raw + np.random.default_rng(0).normal(size=raw.shape))


def test_a_release_drawn_at_random_says_how_many_draws_the_attacks_had(toy):
    raw = toy.features.feature
    assert "randomised_release" not in release(toy, raw)
    of_secrets = release(toy, raw, num_redrawn=4, attacks=("informed",))["randomised_release"]
    assert "secrets learned from 5 draws, those who single out and link from the one draw" in of_secrets
    of_risks = release(toy, raw, num_redrawn=4, copies_for_risks=4)["randomised_release"]
    assert "secrets learned from the one draw that is published" in of_risks
    assert "single out and link from 5 draws" in of_risks


def test_an_adapter_that_leaves_its_training_videos_alone_is_named(toy):
    raw = toy.features
    is_test = np.isin(raw.video, toy.labels.videos("test"))
    noise = np.random.default_rng(0).normal(size=raw.feature.shape)
    assert "memorised_consistency" in release(toy, raw.feature + is_test[:, None] * noise)
    assert "memorised_consistency" not in release(toy, raw.feature + noise)
    assert "memorised_consistency" not in release(toy, raw.feature)


def test_an_attack_that_is_wrong_more_often_than_by_chance_is_named(reading):
    low = replace(reading("identity"), num_groups=50)
    worst = replace(low.worst, anonymized=Interval(0.0, 0.0, 0.01))
    found = by_name(flag_results([replace(low, worst=worst)], Risks(), num_people=50))
    assert "somebody could turn round" in found["below_chance"]
