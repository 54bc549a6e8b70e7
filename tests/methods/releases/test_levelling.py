"""The closed forms of transport: moments as numpy has them, shares worked by hand, draws of the right size."""

import numpy as np
import pytest

from latentveil.methods.releases.groups import most_stable_count
from latentveil.methods.releases.levelling import (
    GroupSums,
    Spectrum,
    draw_like,
    find_spectrum,
    fit_levelling,
    nearest,
    spread_of,
)
from latentveil.methods.releases.moments import Moments


def test_running_moments_are_those_of_all_rows_at_once():
    random = np.random.default_rng(0)
    rows, owner = random.standard_normal((30, 4)) + 100, np.repeat(np.arange(10), 3)
    running = Moments(4)
    for start in range(0, 30, 6):
        running.add(rows[start : start + 6], owner[start : start + 6] - owner[start])
    np.testing.assert_allclose(running.mean, rows.mean(axis=0))
    np.testing.assert_allclose(running.covariance, np.cov(rows.T, bias=True), atol=1e-9)
    within = rows - np.repeat(rows.reshape(10, 3, 4).mean(axis=1), 3, axis=0)
    np.testing.assert_allclose(running.within, within.T @ within / 20, atol=1e-9)


def test_shares_by_hand():
    """B = 1 and n = 4: 4 / 5 of the offset goes, 1/25 of the variance 5/4 stays, and the draw makes it 1/4."""
    gone, variance = Spectrum(np.eye(2), np.eye(2), np.eye(2), np.array([1.0, -0.1])).shares(4, strength=1.0)
    np.testing.assert_allclose(gone, [0.8, 0.0])
    np.testing.assert_allclose(variance, [0.25 - 0.05, 0.1])


def test_a_draw_is_shaped_as_the_residuals_and_has_variance_one():
    random = np.random.default_rng(0)
    residuals = random.standard_normal((50, 3)) * [1.0, 2.0, 3.0]
    residuals -= residuals.mean(axis=0)
    drawn = np.stack([draw_like(residuals, 50, random) for _ in range(4000)])
    wanted = 49 / 50 * np.cov(residuals.T) / spread_of(residuals) + np.eye(3) / 50
    np.testing.assert_allclose(np.cov(drawn.T), wanted, atol=0.2)


def test_levelled_videos_of_a_group_are_uncorrelated():
    """With draws, two videos of one group have nothing in common on average; without, they repel each other."""
    found = {}
    for draw in (0.0, 1.0):
        products = []
        for seed in range(60):
            random = np.random.default_rng(seed)
            group = np.repeat(np.arange(8), 5)
            videos = random.standard_normal((40, 3)) + 4 * random.standard_normal((8, 3))[group]
            sums = GroupSums.of(videos, group)
            one = fit_levelling(videos, group, sums, cov=0.0, strength=1e6, draw=draw, random=random)
            moved = one.apply(videos, group) - one.common
            inner = moved @ moved.T
            same = (group[:, None] == group) & ~np.eye(40, dtype=bool)
            products.append(inner[same].mean() / np.diag(inner).mean())
        found[draw] = np.mean(products)
    assert found[0.0] < -0.2
    assert abs(found[1.0]) < 0.05


def test_a_group_whose_videos_differ_little_gets_a_short_draw():
    """Or its videos would be alike: by a draw as long as the videos of other groups differ."""
    products = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        group = np.repeat(np.arange(12), 4)
        spread = np.where(group < 6, 0.2, 1.0)
        videos = (
            spread[:, None] * random.standard_normal((48, 4)) + 4 * random.standard_normal((12, 4))[group]
        )
        sums = GroupSums.of(videos, group)
        one = fit_levelling(videos, group, sums, cov=0.0, strength=1e6, draw=1.0, random=random)
        moved = (one.apply(videos, group) - one.common)[group < 6]
        inner, same = moved @ moved.T, group[:24, None] == group[:24]
        products.append(inner[same & ~np.eye(24, dtype=bool)].mean() / np.diag(inner).mean())
    assert abs(np.mean(products)) < 0.1


def test_groups_that_differ_show_in_the_spectrum():
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 10)
    videos = random.standard_normal((400, 2))
    offset = 2 * random.standard_normal(40)
    videos[:, 0] += offset[group]
    means = np.stack([videos[group == number].mean(axis=0) for number in range(40)])
    found = find_spectrum(videos - means[group], means - videos.mean(axis=0), np.full(40, 10.0))
    assert abs(found.excess[-1] / offset.var() - 1) < 0.3
    assert abs(found.excess[0]) < 0.2


@pytest.mark.parametrize("sampled", [400, 2000])
def test_a_sample_of_the_videos_shows_the_spectrum_of_all(sampled):
    """Of more groups than sampled videos, the spread within groups came out hundreds of times too large."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(1000), 4)
    videos = random.standard_normal((4000, 3)) + random.standard_normal((1000, 3))[group]
    means = GroupSums.of(videos, group).means
    residuals, offsets = videos - means[group], means - videos.mean(axis=0)
    counts = np.full(1000, 4.0)
    within = residuals.T @ residuals / (4000 - 1000)
    excess = np.linalg.eigvals(np.linalg.solve(within, offsets.T @ offsets / 999)).real - 1 / 4
    whole = find_spectrum(residuals, offsets, counts)
    np.testing.assert_allclose(whole.excess, np.sort(excess), rtol=0.01)
    part = find_spectrum(residuals[random.permutation(4000)[:sampled]], offsets, counts)
    np.testing.assert_allclose(part.excess, whole.excess, rtol=0.2)


def test_the_number_of_clusters_is_found_by_stability():
    random = np.random.default_rng(0)
    centres = 20 * random.standard_normal((6, 4))
    looks = np.repeat(centres, 40, axis=0) + random.standard_normal((240, 4))
    assert 5 <= most_stable_count(looks, seed=0) <= 8
    assert np.array_equal(nearest(centres, centres), np.arange(6))


@pytest.mark.parametrize("videos", [3, 40])
def test_a_group_is_stretched_to_the_common_covariance_in_the_directions_of_its_videos(videos):
    """As the inverse root of its covariance does, mixed with the common one, and in the room of its videos alone."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(2), videos)
    vectors = random.standard_normal((2 * videos, 12)) * np.where(group == 0, 1.0, 3.0)[:, None]
    found = fit_levelling(
        vectors, group, GroupSums.of(vectors, group), cov=0.5, strength=1.0, draw=0.0, random=random
    )
    own = vectors[group == 1] - found.means[1]
    white = own @ found.spectrum.whiten
    weight = 0.5 * (videos - 1) / videos
    values, axes = np.linalg.eigh(weight * np.cov(white.T) + (1 - weight) * np.eye(12))
    wanted = white @ (axes / np.sqrt(values)) @ axes.T @ found.spectrum.colour
    np.testing.assert_allclose(found.stretches[1].apply(own), wanted, atol=1e-8)
    assert len(found.stretches[1].source) <= min(videos, 12)
