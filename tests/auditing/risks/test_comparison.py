"""Comparisons against the covariances that they stand for, with more dimensions than videos and with fewer."""

import numpy as np
import pytest
from scipy.linalg import inv, sqrtm

from latentveil.auditing.risks.alignment import Aligned
from latentveil.auditing.risks.comparison import WITHIN_SHRINKAGES, comparisons, cosines

NUM_PEOPLE, NUM_VIDEOS = 6, 5


def scene(dim, seed=0):
    """Videos (V, dim) of people (V,), of whom the last third is not known (V,)."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(NUM_PEOPLE), NUM_VIDEOS)
    spread = random.uniform(0.5, 2, dim)
    videos = random.normal(size=(NUM_PEOPLE, dim))[person] + spread * random.normal(size=(len(person), dim))
    return videos, person, person < 4


def found_by(videos, person, known):
    everything = np.ones(len(person), dtype=bool)
    aligned = Aligned("as is", videos, videos)
    found = comparisons(aligned, known, person, rows=everything, learned=True)
    return {name: cosines(probe, gallery) for name, probe, gallery in found}


@pytest.mark.parametrize("dim", [8, 40])
@pytest.mark.parametrize("shrinkage", [0.01, 0.5])
def test_within_people_is_the_cosine_behind_their_shrunk_covariance(dim, shrinkage):
    videos, person, known = scene(dim)
    found = found_by(videos, person, known)[f"within people {shrinkage:g}"]
    rest = np.concatenate([videos[person == one] - videos[person == one].mean(axis=0) for one in range(4)])
    within = rest.T @ rest / len(rest)
    shrunk = (1 - shrinkage) * within + shrinkage * np.trace(within) / dim * np.eye(dim)
    white = (videos - videos.mean(axis=0)) @ np.real(sqrtm(inv(shrunk)))
    np.testing.assert_allclose(found, cosines(white, white), atol=1e-6)


def test_whitened_is_the_cosine_behind_the_covariance_of_all_videos():
    videos, person, known = scene(8)
    found = found_by(videos, person, known)["whitened cosine 0.1"]
    rest = videos - videos.mean(axis=0)
    covariance = rest.T @ rest / len(rest)
    white = rest @ np.real(sqrtm(inv(covariance + 0.1 * np.trace(covariance) / 8 * np.eye(8))))
    np.testing.assert_allclose(found, cosines(white, white), atol=1e-6)


@pytest.mark.parametrize("dim", [8, 40])
def test_between_people_sees_no_direction_in_which_known_people_are_alike(dim):
    videos, person, known = scene(dim)
    aligned = Aligned("as is", videos, videos)
    found = comparisons(aligned, known, person, rows=np.ones(len(person), dtype=bool), learned=True)
    directions = [probe.shape[1] for name, probe, _ in found if name.startswith("between")]
    assert directions == [3] * len(WITHIN_SHRINKAGES)  # four known people differ in three directions
