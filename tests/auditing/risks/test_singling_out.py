"""Naming known people: harder from fewer videos, chance from a constant, and turned round where that pays."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing.risks.closed_set import margins, sure_from
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.errors import InputError


def test_a_copy_is_as_bad_as_the_original_and_one_video_is_enough(scene):
    raw, labels = scene()
    found = measure_singling_out(raw, raw, labels, kind="temporal", num_draws=2)
    assert found.raw == found.anonymized
    assert [point.known for point in found.raw] == [1, 2, 5, None]
    for point in found.raw:
        assert point.top1.value > 0.95
        assert point.singled_out.value > 0.9
        assert point.precision > 0.85
    assert (found.num_people, found.num_videos, found.chance) == (24, 48, 1 / 24)


def test_a_constant_gives_chance_and_singles_out_nobody(scene):
    raw, labels = scene()
    constant = raw.with_feature(np.full_like(raw.feature, 3.7))
    for point in measure_singling_out(raw, constant, labels, kind="temporal", num_draws=2).anonymized:
        assert point.top1.value == pytest.approx(1 / 24)
        assert point.singled_out.value == 0
        assert point.precision is None


def test_the_curve_leaves_the_ceiling(scene):
    raw, labels = scene(num_videos=16, noise=1.2)
    found = measure_singling_out(raw, raw, labels, kind="temporal", num_draws=3).raw
    top1 = [point.top1.value for point in found]
    assert top1[0] < 0.5 < top1[-1]
    assert top1 == sorted(top1)
    assert found[0].singled_out.value < found[-1].singled_out.value


def test_people_without_their_own_mean_are_named_turned_round(scene, without_group_means):
    raw, labels = scene(num_videos=4, noise=1.0)
    anonymized = without_group_means((raw, labels))
    found = measure_singling_out(raw, anonymized, labels, kind="temporal", num_draws=3).anonymized[-1]
    assert all(attack.endswith("turned round") for attack in found.attacks)
    assert found.top1.low > 2 / 24


def test_people_who_differ_only_in_how_they_vary_are_named_by_directions(scene):
    """Everybody has the mean 0 and moves along three directions of their own."""
    raw, labels = scene(num_people=12, num_videos=20, looks=0.0, noise=0.1)
    random = np.random.default_rng(5)
    axes = np.stack([np.linalg.qr(random.normal(size=(16, 3)))[0].T for _ in range(12)])
    person = np.unique(labels.person, return_inverse=True)[1]
    vary = np.einsum("vk,vkd->vd", random.normal(size=(240, 3)), axes[person])
    moved = raw.with_feature(raw.feature + np.repeat(vary, 2, axis=0).astype(np.float32))
    found = measure_singling_out(moved, moved, labels, kind="temporal", known_videos=[None]).raw[0]
    assert all("same directions" in attack for attack in found.attacks)
    assert found.top1.value > 0.6


def test_only_strangers_take_part_where_there_are_enough(scene):
    raw, labels = scene()
    split = np.where(labels.person < "p12", "train", "test")
    by_person = type(labels)(labels.video, split, labels.person)
    assert measure_singling_out(raw, raw, by_person, kind="temporal", known_videos=[1]).num_people == 12
    few = type(labels)(labels.video, np.where(labels.person < "p20", "train", "test"), labels.person)
    assert measure_singling_out(raw, raw, few, kind="temporal", known_videos=[1]).num_people == 24


def test_sure_is_where_nine_of_ten_were_right():
    person = np.zeros(40, dtype=int)
    scores = np.zeros((40, 3))
    scores[:, 0] = np.arange(40)
    scores[:10] = [0.0, 0.5, 0.0]  # the ten least sure are wrong
    assert margins(scores)[20] == 20
    # 30 right of 33 is 0.91, but the wrong ones come together: all or none of them
    assert sure_from(scores, person) == 10
    assert sure_from(scores[:, ::-1], person) == float("inf")
    assert sure_from(scores[-9:], person[-9:]) == float("inf")  # nine answers are too few to know


def test_two_videos_each_are_refused(scene):
    raw, labels = scene(num_videos=2)
    with pytest.raises(InputError, match="two people with 3 videos or more, got 0"):
        measure_singling_out(raw, raw, labels, kind="temporal")


def redrawn(raw, *, noise, number):
    """A release that adds noise, and further draws of it."""
    random = np.random.default_rng(3)
    return [
        raw.with_feature((raw.feature + noise * _per_video(raw, random)).astype(np.float32))
        for _ in range(number)
    ]


def _per_video(raw, random):
    """One draw for both clips of a video: the mean of clips does not take it away."""
    drawn = random.normal(size=(len(raw) // 2, raw.feature.shape[1]))
    return np.repeat(drawn, 2, axis=0)


def test_who_holds_the_adapter_and_raw_videos_averages_the_noise_of_known_videos(scene):
    raw, labels = scene(num_videos=12)
    published, *draws = redrawn(raw, noise=2.0, number=9)
    once = measure_singling_out(raw, published, labels, kind="temporal", known_videos=[1])
    averaged = measure_singling_out(raw, published, labels, kind="temporal", known_videos=[1], remade=draws)
    assert averaged.raw == once.raw
    assert averaged.anonymized[0].top1.value > 1.25 * once.anonymized[0].top1.value
    assert any(name.startswith("through the adapter") for name in averaged.anonymized[0].attacks)


def on_another_day(scene, **options):
    """Known videos of the first recording, asked ones of the second."""
    raw, labels = scene(**({"recordings": 2, "num_videos": 12} | options))
    split = np.where(labels.recording == "r1", "test", "train")
    return raw, replace(labels, split=split)


def top1(raw, labels, known):
    found = measure_singling_out(raw, raw, labels, kind="temporal", known_videos=[known], num_draws=2).raw[0]
    return found.top1.value, found.attacks


@pytest.mark.parametrize("known", [1, None])
def test_people_known_from_one_day_are_named_on_another(scene, known):
    raw, labels = on_another_day(scene)
    blind, _ = top1(raw, replace(labels, recording=None), known)
    seeing, attacks = top1(raw, labels, known)
    assert blind < 0.3
    assert seeing > 0.95
    assert all(name.startswith("recordings") for name in attacks)


def test_pure_noise_of_another_day_gives_guessing(scene):
    found = [top1(*on_another_day(scene, looks=0.0, seed=seed), 2)[0] for seed in range(8)]
    assert np.mean(found) == pytest.approx(1 / 24, abs=0.02)


def test_nothing_changes_where_asked_recordings_are_known_or_show_one_person(scene):
    raw, labels = scene(recordings=2, noise=1.0)
    alone = replace(on_another_day(scene, num_videos=8)[1], recording=labels.person)
    for told in (labels, alone):
        assert top1(raw, told, None) == top1(raw, replace(told, recording=None), None)


def test_the_noise_of_known_videos_is_averaged_on_another_day_too(scene):
    raw, labels = on_another_day(scene, num_videos=16)
    published, *draws = redrawn(raw, noise=2.0, number=9)
    once, averaged = (
        measure_singling_out(raw, published, labels, kind="temporal", known_videos=[1], remade=remade)
        for remade in ((), draws)
    )
    assert averaged.anonymized[0].top1.value > 1.25 * once.anonymized[0].top1.value


def test_how_far_clips_lie_apart_tells_people_on_another_day_too(scene):
    """Nobody has looks, and people move a little each in their own way: validation is not clear about that."""
    raw, labels = on_another_day(scene, looks=0.0)
    random = np.random.default_rng(4)
    own = np.exp(0.7 * random.normal(size=(24, 16)))[np.unique(labels.person, return_inverse=True)[1]]
    moved = own * random.choice([-1, 1], size=own.shape)
    apart = np.stack([moved, -moved], axis=1).reshape(-1, 16)
    named, attacks = top1(raw.with_feature((raw.feature + apart).astype(np.float32)), labels, None)
    assert named > 0.12
    assert all("spread of clips" in name for name in attacks)
