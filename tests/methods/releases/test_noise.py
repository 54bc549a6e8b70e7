"""As much noise as hides the groups from a quick attacker, and no more."""

import numpy as np
import pytest

from latentveil.errors import Notice
from latentveil.methods.releases.noise import (
    LEVELS,
    TOLD,
    UNTRIED,
    Attempt,
    least_noise,
    named,
    shares_along,
)

GROUP = np.repeat(np.arange(8), 24)
OFFSETS = np.random.default_rng(0).normal(size=(8, 6))
VIDEOS = np.random.default_rng(1).normal(size=(len(GROUP), 6))


def chosen(middle, *, hide=0.9, group=GROUP):
    raw = VIDEOS + 5 * OFFSETS[GROUP]
    found = least_noise(raw, middle, [group], np.eye(6), hide=hide, random=np.random.default_rng(0))
    found.warn(hide=hide)
    return found.level


def test_what_tells_nothing_gets_the_least():
    assert chosen(VIDEOS) == LEVELS[0]


def test_more_that_is_left_of_the_groups_asks_for_more_noise():
    levels = [chosen(VIDEOS + size * OFFSETS[GROUP], hide=0.8) for size in (0.0, 0.6, 1.0)]
    assert levels == sorted(levels)
    assert levels[0] < levels[-1]


def test_groups_that_no_noise_hides_are_said():
    with pytest.warns(Notice, match="transport.hide must be reached"):
        assert chosen(VIDEOS + 5 * OFFSETS[GROUP]) == LEVELS[-1]


def test_noise_ends_where_it_is_told_to():
    raw = VIDEOS + 5 * OFFSETS[GROUP]
    found = least_noise(raw, raw, [GROUP], np.eye(6), hide=0.9, most=1.0, random=np.random.default_rng(0))
    assert found.level == 1.0
    assert not found.enough
    with pytest.warns(Notice, match="at most 1,"):
        found.warn(hide=0.9)


def test_groups_that_were_never_told_need_no_more():
    raw = np.random.default_rng(2).normal(size=VIDEOS.shape)
    attempt = Attempt.of(GROUP)
    assert attempt.told(raw, np.zeros((6, 6)), random=np.random.default_rng(0)) < TOLD
    found = least_noise(raw, raw, [GROUP], np.eye(6), hide=0.0, random=np.random.default_rng(0))
    assert found.level == LEVELS[0]


def test_groups_that_raw_features_do_not_tell_stay_untold():
    """Moving videos by their groups can itself give these away: then noise must hide what was not there before."""
    raw = np.random.default_rng(2).normal(size=VIDEOS.shape)
    moved = raw + 0.6 * OFFSETS[GROUP]
    found = least_noise(raw, moved, [GROUP], np.eye(6), hide=0.9, random=np.random.default_rng(0))
    assert found.level > LEVELS[0]
    too_far = least_noise(
        raw, raw + 5 * OFFSETS[GROUP], [GROUP], np.eye(6), hide=0.9, random=np.random.default_rng(0)
    )
    assert not too_far.enough
    with pytest.warns(Notice, match="that raw features do not tell must stay so with noise of at most 2,"):
        too_far.warn(hide=0.9)


def test_groups_of_few_videos_cannot_be_tried():
    assert chosen(VIDEOS, group=np.arange(len(GROUP)) // 2) == UNTRIED


def test_groups_that_sum_to_nothing_are_named_by_the_farthest_mean():
    """The trap of METHODS 5.7: taking the sample mean away leaves a video unlike the rest of its group."""
    few = np.arange(len(GROUP)) % 24 < 3
    videos, group = VIDEOS[few], GROUP[few]
    videos = videos - np.stack([videos[group == number].mean(axis=0) for number in range(8)])[group]
    _, _, nearest, farthest, _, _ = named(videos, group, known=np.tile([True, True, False], 8))
    assert nearest < 0.1
    assert farthest > 0.4


def test_levelled_covariances_are_named_by_the_directions_with_the_least():
    """The same trap in the second moments: no mean tells, and each video lacks what the rest of its group has."""
    random = np.random.default_rng(4)
    videos = random.normal(size=(240, 48))
    group = np.repeat(np.arange(8), 30)
    for number in range(8):
        own = videos[group == number] - videos[group == number].mean(axis=0)
        values, axes = np.linalg.eigh(own.T @ own / 30)
        videos[group == number] = own @ (axes / np.sqrt(values + 0.5)) @ axes.T
        videos[group == number] += random.normal(size=48) / np.sqrt(30)
    _, _, nearest, farthest, least, most = named(videos, group, known=np.arange(240) % 30 < 24)
    assert max(nearest, farthest) < 0.4
    assert least > 0.8
    assert most < 0.05


def test_shares_along_directions_agree_with_a_loop():
    random = np.random.default_rng(5)
    videos, rest, group = (
        random.normal(size=(4, 3)),
        random.normal(size=(7, 3)),
        np.array([0, 1, 1, 0, 2, 2, 2]),
    )
    for row, found in zip(videos, shares_along(videos, rest, group, 3)):
        for number in range(3):
            own = rest[group == number]
            expected = sum((row @ other) ** 2 for other in own) / sum(other @ other for other in own)
            assert found[number] == pytest.approx(expected)


def test_ones_own_way_of_doing_each_thing_is_named_by_the_nearest_video():
    random = np.random.default_rng(3)
    own_way = random.normal(size=(8, 6, 6))  # groups, things, dimensions
    own_way -= own_way.mean(axis=1, keepdims=True)  # no mean tells
    thing = np.tile(np.arange(6), 32)
    videos = own_way[GROUP, thing] + 0.05 * random.normal(size=VIDEOS.shape)
    nearest_video, *_ = named(videos, GROUP, known=np.arange(len(GROUP)) % 24 < 18)
    assert nearest_video > 0.9
