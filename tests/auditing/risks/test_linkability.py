"""Linking strangers: all in a copy, nothing in a constant, people through recordings, and what subtraction leaves."""

import numpy as np
import pytest

from latentveil.auditing.recipients import find_recipient
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.errors import InputError

MODES = ("raw", "anonymized", "raw_to_anonymized")


def link(raw, anonymized, labels, *, recipient="raw"):
    return measure_linkability(
        raw, anonymized, labels, kind="temporal", recipient=find_recipient(recipient), seed=0
    )


def test_a_copy_is_all_linkable_and_alike_on_both_sides(scene):
    raw, labels = scene()
    found = link(raw, raw, labels)
    assert found.raw == found.anonymized
    for mode in MODES:
        for score in (
            getattr(found, mode)["any_recording"].video,
            getattr(found, mode)["any_recording"].pooled,
        ):
            assert score.auc.value > 0.99
            assert score.rank1.value > 0.98
            assert score.equal_error_rate.value < 0.03
            assert score.num_people == 24
    single = found.raw["any_recording"].video
    assert single.true_accept_at_1_percent is None  # 2 folds of 12 people with 2 test videos: 528 other pairs
    assert single.rank1_chance == pytest.approx(1 / 23)


def test_a_constant_gives_chance(scene):
    raw, labels = scene()
    constant = raw.with_feature(np.full_like(raw.feature, 3.7))
    found = link(raw, constant, labels)
    for mode in MODES[1:]:
        for score in (
            getattr(found, mode)["any_recording"].video,
            getattr(found, mode)["any_recording"].pooled,
        ):
            assert score.auc.value == 0.5
            assert score.equal_error_rate.value == pytest.approx(0.5)
            assert score.rank1.value == pytest.approx(score.rank1_chance)
            assert score.reciprocal_rank.value == pytest.approx(score.reciprocal_rank_chance)


def test_nothing_is_linked_where_people_look_alike(scene):
    raw, labels = scene(looks=0.0)
    auc = link(raw, raw, labels).raw["any_recording"].video.auc
    assert auc.low < 0.5 < auc.high


def test_a_person_is_found_across_recordings_that_differ_more_than_people(scene):
    raw, labels = scene(num_people=16, num_videos=16, recordings=2)
    found = link(raw, raw, labels, recipient="labels").raw
    assert found["other_recording"].video.auc.value > 0.95
    assert found["other_recording"].pooled.rank1.value > 0.95
    assert found["same_recording"].video.auc.value > 0.95
    assert found["other_recording"].video.num_people == 16


def test_looks_that_change_with_the_recording_link_within_it_only(scene):
    (monday, labels), (tuesday, _) = scene(seed=1), scene(seed=2)
    recording = np.where(np.arange(len(labels.video)) % 2, "tuesday", "monday")
    labels = type(labels)(labels.video, labels.split, labels.person, recording=recording)
    is_monday = labels.lookup("recording", monday.video) == "monday"
    raw = monday.with_feature(np.where(is_monday[:, None], monday.feature, tuesday.feature))
    raw, labels = (
        raw,
        type(labels)(labels.video, np.full(len(labels.video), "train"), labels.person, recording=recording),
    )
    found = link(raw, raw, labels, recipient="labels").raw
    assert found["same_recording"].video.auc.value > 0.99
    across = found["other_recording"].video.auc
    assert across.value < 0.65
    assert across.low < 0.5 < across.high


@pytest.mark.parametrize("recordings", [0, 1])
def test_says_why_pairs_are_missing(scene, recordings):
    raw, labels = scene(recordings=recordings)
    found = link(raw, raw, labels, recipient="features").raw["other_recording"]
    assert found.video is None
    assert found.pooled is None
    assert found.why_not == (
        "nobody who is tested was filmed in two recordings"
        if recordings
        else "the labels have no column 'recording'"
    )


def test_a_recording_of_one_person_says_nothing_of_people(scene):
    raw, labels = scene()
    labels = type(labels)(labels.video, labels.split, labels.person, recording=labels.person)
    found = link(raw, raw, labels, recipient="features").raw["same_recording"]
    assert "also shows somebody else" in found.why_not


@pytest.mark.parametrize("alone", ["everybody", "all but two"])
def test_pure_noise_links_nobody_whose_recordings_show_nobody_else(scene, alone):
    """Less the mean of such a recording its videos sum to nothing, as a person's: that linked both halves of them."""
    raw, labels = scene(num_people=12, num_videos=12)
    own = np.char.add(labels.person.astype(str), np.where(np.arange(len(labels.video)) % 2, " a", " b"))
    together = np.isin(labels.person, np.unique(labels.person)[:2]) & (alone != "everybody")
    recording = np.where(together, "both", own)
    split = np.full(len(labels.video), "test")
    labels = type(labels)(labels.video, split, labels.person, recording=recording)
    noise = np.random.default_rng(0).standard_normal(raw.feature.shape).astype(np.float32)
    found = link(raw, raw.with_feature(noise), labels, recipient="features").anonymized["any_recording"]
    assert found.pooled.auc.low < 0.55
    assert abs(found.pooled.auc.value - 0.5) < 0.2


def test_people_without_their_own_mean_are_found_turned_round(scene, without_group_means):
    raw, labels = scene(num_videos=4)
    labels = type(labels)(labels.video, np.full(len(labels.video), "test"), labels.person)
    score = link(raw, without_group_means((raw, labels)), labels, recipient="features").anonymized[
        "any_recording"
    ]
    assert all(attack.endswith("turned round") for attack in score.pooled.attacks)
    assert score.pooled.auc.low > 0.8
    assert score.pooled.rank1.value > 0.9
    assert score.video.auc.low > 0.5


def test_the_adapter_or_moments_tell_what_a_rotation_hides_from_a_raw_gallery(scene):
    raw, labels = scene(num_people=24)
    rotation = np.linalg.qr(np.random.default_rng(5).normal(size=(16, 16)))[0]
    rotated = raw.with_feature((raw.feature @ rotation).astype(np.float32))
    found = link(raw, rotated, labels).raw_to_anonymized["any_recording"]
    assert found.video.auc.value > 0.98
    assert any("way back" in name or "procrustes" in name for name in found.video.attacks)


def test_a_gallery_of_another_width_is_compared_through_pairs(scene):
    raw, labels = scene(num_people=24)
    narrow = raw.with_feature(raw.feature[:, :12] * 3 + 1)
    assert link(raw, narrow, labels).raw_to_anonymized["any_recording"].video.auc.value > 0.95


def test_recipients_get_what_they_hold(scene):
    raw, labels = scene(num_people=8)
    noisy = raw.with_feature(raw.feature * 2)
    alone = link(raw, noisy, labels, recipient="features")
    assert alone.raw_to_anonymized is None
    assert alone.recipient == "features"
    assert not any("people" in name for name in alone.anonymized["any_recording"].video.attacks)


def test_too_few_people_are_refused(scene):
    raw, labels = scene(num_people=3)
    with pytest.raises(InputError, match="4 people with two videos or more, got 3"):
        link(raw, raw, labels)


@pytest.mark.parametrize("recipient", ["raw", "adapter"])
def test_draws_of_a_random_release_are_averaged_by_who_can_make_them(scene, recipient):
    raw, labels = scene(num_people=20, num_videos=8)
    random = np.random.default_rng(3)
    num_videos, dim = len(raw) // 2, raw.feature.shape[1]
    published, *draws = (
        raw.with_feature(
            (raw.feature + 2 * np.repeat(random.normal(size=(num_videos, dim)), 2, axis=0)).astype(np.float32)
        )
        for _ in range(9)
    )
    found = [
        measure_linkability(
            raw, published, labels, kind="temporal", recipient=find_recipient(recipient), remade=remade
        )
        for remade in ((), draws)
    ]
    assert found[0].raw == found[1].raw
    assert found[0].anonymized != found[1].anonymized
    if recipient == "raw":
        once, averaged = (one.raw_to_anonymized["any_recording"].video for one in found)
        assert averaged.auc.value >= once.auc.value


def test_who_holds_the_adapter_and_raw_videos_looks_for_them_on_its_other_side(scene):
    """An adapter that no linear map undoes: the raw gallery tells nothing until it went through, too."""
    raw, labels = scene(num_people=24, noise=0.05)
    random = np.random.default_rng(1)
    inner = 4 * random.normal(size=(16, 16))
    hashed = raw.with_feature(np.sign(np.sin(raw.feature @ inner)).astype(np.float32))
    alone, through = (
        measure_linkability(
            raw, hashed, labels, kind="temporal", recipient=find_recipient("raw"), remade=remade
        ).raw_to_anonymized["any_recording"]
        for remade in ((), [hashed])
    )
    assert through.video.auc.value > alone.video.auc.value + 0.05
    assert all(name.startswith("through the adapter") for name in through.video.attacks)


def test_without_the_adapter_nobody_draws_again(scene):
    raw, labels = scene(num_people=8)
    other = raw.with_feature(raw.feature[:, ::-1].copy())
    found = [
        measure_linkability(
            raw, other, labels, kind="temporal", recipient=find_recipient("labels"), remade=remade
        )
        for remade in ((), [raw, raw])
    ]
    assert found[0] == found[1]


def test_actions_that_everybody_shows_once_tell_nobody(scene):
    """Nobody looks like anybody in particular, but halves of one person's videos complete each other."""
    raw, labels = scene(num_people=24, looks=0.0, noise=0.1)
    action = np.tile([f"sign {number}" for number in range(8)], 24)
    signs = np.random.default_rng(2).normal(size=(8, raw.dim))
    shown = np.repeat(signs[np.arange(len(labels.video)) % 8], 2, axis=0)
    raw = raw.with_feature((raw.feature + shown).astype(np.float32))
    everything_tested = np.full(len(labels.video), "test")
    told = type(labels)(labels.video, everything_tested, labels.person, {"action": action})
    untold = type(labels)(labels.video, everything_tested, labels.person)
    found, fooled = (link(raw, raw, one, recipient="features").raw["any_recording"] for one in (told, untold))
    assert fooled.pooled.auc.value > 0.9
    for score in (found.video, found.pooled):
        assert score.auc.low < 0.51  # one interval in twenty misses the half
        assert score.auc.high > 0.5
        assert score.auc.value < 0.65


def test_a_raw_gallery_links_nothing_to_what_was_never_of_the_person(scene):
    """Raw videos are looks and a rest, and the rest alone is published: it says nothing of anybody, by construction.

    An attacker who also learned from the raw originals of what it links would see that a person's rests sum to nothing
    wherever the few people do not differ, and link one half by the other turned round.
    """
    rest, labels = scene(num_people=12, num_videos=16, dim=64, looks=0.0, noise=1.0)
    person = np.unique(labels.lookup("person", rest.video), return_inverse=True)[1]
    looks = 5 * np.random.default_rng(3).normal(size=(12, 64))[person]
    raw = rest.with_feature((looks + rest.feature).astype(np.float32))
    tested = type(labels)(labels.video, np.full(len(labels.video), "test"), labels.person)
    found = link(raw, rest, tested)
    assert found.raw["any_recording"].pooled.auc.value > 0.99
    linked = found.raw_to_anonymized["any_recording"]
    for score in (linked.video, linked.pooled):
        assert score.auc.low < 0.5 < score.auc.high
        assert abs(score.auc.value - 0.5) < 0.12


def test_a_raw_gallery_links_what_still_has_a_little_of_the_person(scene):
    raw, labels = scene(num_people=24, looks=1.0, noise=1.0, dim=32)
    random = np.random.default_rng(4)
    faint = raw.with_feature((0.3 * raw.feature + random.normal(size=raw.feature.shape)).astype(np.float32))
    assert link(raw, faint, labels).raw_to_anonymized["any_recording"].pooled.auc.low > 0.6


def test_across_recordings_a_raw_gallery_is_of_other_recordings(scene):
    raw, labels = scene(num_people=16, num_videos=12, recordings=2)
    found = link(raw, raw, labels).raw_to_anonymized
    assert found["other_recording"].pooled.auc.value > 0.95
    assert found["same_recording"].pooled.auc.value > 0.95
