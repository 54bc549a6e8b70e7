"""A quick attacker names groups by videos, means, directions and pools, among a few suspects."""

from itertools import combinations

import numpy as np
import pytest

from latentveil.methods.releases.quick_attacker import (
    FOLDS,
    POOLED_GROUPS,
    SUSPECTS,
    Attempt,
    chance_of_least,
    named,
    share_told,
    shares_along,
)

GROUP = np.repeat(np.arange(8), 24)
VIDEOS = np.random.default_rng(1).normal(size=(len(GROUP), 6))


def test_groups_that_sum_to_nothing_are_named_by_the_farthest_mean():
    """The trap of METHODS 5.7: taking the sample mean away leaves a video unlike the rest of its group."""
    few = np.arange(len(GROUP)) % 24 < 3
    videos, group = VIDEOS[few], GROUP[few]
    videos = videos - np.stack([videos[group == number].mean(axis=0) for number in range(8)])[group]
    _, _, nearest, farthest, _, _ = named(videos, group, known=np.tile([True, True, False], 8), suspects=8)
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
    _, _, nearest, farthest, least, most = named(videos, group, known=np.arange(240) % 30 < 24, suspects=8)
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
    nearest_video, *_ = named(videos, GROUP, known=np.arange(len(GROUP)) % 24 < 18, suspects=8)
    assert nearest_video > 0.9


def test_told_among_suspects_agrees_with_every_choice_of_them():
    random = np.random.default_rng(0)
    scores, own = random.normal(size=(12, 6)), np.array([0, 1, 2, 3, 4, 4] * 2)
    for suspects in (2, 3, 6):
        found = np.zeros((12, 0))
        for others in combinations(range(5), suspects - 1):
            right = [
                all(row[one] < row[np.delete(np.arange(6), one)[list(others)]])
                for row, one in zip(scores, own)
            ]
            found = np.column_stack([found, right])
        expected = np.mean([found[own == number].mean() for number in range(5)])
        assert share_told(scores, own, suspects=suspects) == pytest.approx(expected)


def test_chances_of_the_least_worked_by_hand():
    assert chance_of_least(4, 2).tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert chance_of_least(10, 10).tolist() == [
        1.0,
        *[0.0] * 9,
    ]  # exactly, so that few groups come out as before


def test_scores_that_are_all_equal_are_guesses():
    own = np.arange(12)
    assert share_told(np.zeros((12, 12)), own, suspects=3) == pytest.approx(1 / 3)


def of_all_groups(videos, group, *, known):
    """The shares (6,) named rightly among all groups, by argmin, as `transport` asked before it knew of suspects."""
    count = int(group.max()) + 1
    rest = videos[known].copy()
    for one in range(count):
        rest[group[known] == one] -= rest[group[known] == one].mean(axis=0)
    within = rest.T @ rest / len(rest)
    within += 0.1 * np.trace(within) / len(within) * np.eye(len(within))
    values, axes = np.linalg.eigh(within)
    white, others, asked = videos @ (axes / np.sqrt(values)), group[known], group[~known]
    guesses = [
        others[np.square(shown[~known][:, None] - shown[known]).sum(axis=2).argmin(axis=1)]
        for shown in (videos, white)
    ]
    means = np.stack([white[known][others == one].mean(axis=0) for one in range(count)])
    to_means = np.square(white[~known][:, None] - means).sum(axis=2)
    turned = rest @ (axes / np.sqrt(values))
    along = shares_along(white[~known] - white[known].mean(axis=0), turned, others, count)
    for scores in (to_means, along):
        guesses += [scores.argmin(axis=1), scores.argmax(axis=1)]
    return [np.mean([(guess == asked)[asked == one].mean() for one in range(count)]) for guess in guesses]


def test_among_as_many_suspects_as_groups_the_nearest_of_all_is_named():
    random = np.random.default_rng(2)
    videos = VIDEOS + 0.7 * random.normal(size=(8, 6))[GROUP]
    known = np.arange(len(GROUP)) % FOLDS != 0
    assert named(videos, GROUP, known=known, suspects=8) == pytest.approx(
        of_all_groups(videos, GROUP, known=known)
    )


def test_pools_tell_what_is_too_little_for_one_video():
    random = np.random.default_rng(6)
    group = np.repeat(np.arange(40), 24)
    videos = random.normal(size=(len(group), 48)) + 0.25 * random.normal(size=(40, 48))[group]
    shares = named(videos, group, known=np.arange(len(group)) % FOLDS != 0, suspects=SUSPECTS, pooled=True)
    single, pool = shares[:6], shares[6:]
    assert len(pool) == 2
    assert pool.max() > single.max() + 0.2


@pytest.mark.parametrize("count", [POOLED_GROUPS, 40])
def test_luck_tells_little_of_pools(count):
    found = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        group = np.repeat(np.arange(count), 12)
        attempt = Attempt.of(group)
        assert attempt.pooled
        found.append(attempt.told(random.normal(size=(len(group), 16)), np.zeros((16, 1)), random=random))
    assert np.mean(found) < 0.05


def test_few_groups_are_told_among_all_and_by_no_pools():
    for count, suspects, pooled in ((8, 8, False), (SUSPECTS, SUSPECTS, False), (60, SUSPECTS, True)):
        attempt = Attempt.of(np.repeat(np.arange(count), 4))
        assert (attempt.suspects, attempt.pooled) == (suspects, pooled)
    clusters = Attempt.of(np.repeat(np.arange(60), 4), narrowed=False)
    assert (clusters.suspects, clusters.pooled) == (60, False)
