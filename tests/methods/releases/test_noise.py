"""As much noise as hides the groups from a quick attacker, and no more."""

import numpy as np
import pytest

from latentveil.errors import Notice
from latentveil.methods.releases import quick_attacker
from latentveil.methods.releases.noise import LEVELS, TOLD, UNTRIED, least_noise
from latentveil.methods.releases.quick_attacker import Attempt

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
    found = least_noise(
        raw, raw, [GROUP], np.eye(6), hide=0.9, levels=(0.5, 1.0), random=np.random.default_rng(0)
    )
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


def test_groups_of_few_videos_cannot_be_tried_and_that_is_said():
    with pytest.warns(
        Notice, match="groups must be two or more with 4 videos or more in every column .* noise of 1 "
    ):
        assert chosen(VIDEOS, group=np.arange(len(GROUP)) // 2) == UNTRIED


def test_a_column_that_cannot_be_tried_is_said_beside_one_that_can():
    groupings = [GROUP, np.arange(len(GROUP)) // 2]
    for of_each in (True, False):  # columns, or clusters of which some are fine
        found = least_noise(
            VIDEOS, VIDEOS, groupings, np.eye(6), hide=0.9, of_each=of_each, random=np.random.default_rng(0)
        )
        assert found.enough
        assert found.tried is not of_each


def apart(count, videos=24, *, size, raw=5.0, seed=0):
    """(raw, middle, group) of ``count`` groups that are ``size`` times as far apart as the videos of one."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(count), videos)
    offset, rest = random.normal(size=(count, 24))[group], random.normal(size=(len(group), 24))
    return rest + raw * offset, rest + size * offset, group


def level_for(count, *, size, **how):
    raw, middle, group = apart(count, size=size)
    return least_noise(
        raw, middle, [group], np.eye(24), hide=0.8, random=np.random.default_rng(0), **how
    ).level


def test_no_more_noise_than_is_needed_is_taken():
    """With steps of a factor of two this release got almost half as much again."""
    assert level_for(10, size=0.4, levels=(0.25, 0.5, 1.0, 2.0)) == 2.0
    assert level_for(10, size=0.4) == 1.4


def test_a_release_of_many_groups_gets_no_less_noise_than_one_of_few():
    """Naming one of sixty is harder than naming one of ten, and no less of a leak."""
    for size in (0.35, 0.45, 0.55):
        assert level_for(60, size=size) >= level_for(10, size=size)
    assert level_for(60, size=0.45, narrowed=False) < level_for(
        10, size=0.45
    )  # among all of them it got less


def test_as_much_is_told_of_many_groups_as_of_few():
    found = {}
    for count in (10, 25):  # neither has pools
        _, middle, group = apart(count, size=0.4)
        attempt = Attempt.of(group)
        found[count] = attempt.told(middle, np.zeros((24, 1)), random=np.random.default_rng(0))
    assert found[25] == pytest.approx(found[10], rel=0.2)


def test_pools_of_many_groups_ask_for_noise_that_single_videos_do_not(monkeypatch):
    size = 0.3
    together = level_for(60, size=size)
    monkeypatch.setattr(quick_attacker, "POOLED_GROUPS", 61)
    assert level_for(60, size=size) < together


def test_groups_as_few_as_suspects_are_told_as_among_all():
    """To the last bit: fits of such releases stay as they were."""
    _, middle, group = apart(10, size=0.4)
    among = [
        Attempt.of(group, narrowed=narrowed).told(middle, np.eye(24), random=np.random.default_rng(0))
        for narrowed in (True, False)
    ]
    assert among[0] == among[1]
