"""Features are as the encoder gave them unless a space says otherwise: centring changes every cosine."""

import numpy as np
import pytest

from benchmarks.published.cells import CENTRED, NARROW, UNCENTRED, Material
from benchmarks.published.data import Videos


@pytest.fixture(scope="module")
def material():
    rows = (np.random.default_rng(0).normal(size=(60, 2, 16)) + 3.0).astype(np.float32)
    videos = Videos(rows, rows, np.arange(60) % 4, np.arange(60) // 4)
    return Material(videos, videos, [])


def mean_cosine(found):
    rows = found.train.stills.reshape(60 * 2, -1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float((unit @ unit.T).mean())


def test_only_the_centred_space_loses_the_mean_and_with_it_the_cosines(material):
    cosines = {space: mean_cosine(material.in_space(space)) for space in (UNCENTRED, NARROW, CENTRED)}
    assert cosines[UNCENTRED] > 0.8
    assert cosines[NARROW] == pytest.approx(cosines[UNCENTRED], abs=1e-4)  # a mere turn
    assert abs(cosines[CENTRED]) < 0.05
    np.testing.assert_array_equal(material.in_space(UNCENTRED).train.clips, material.train.clips)
