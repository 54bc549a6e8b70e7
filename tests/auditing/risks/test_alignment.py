"""Two stores are brought together: by moments, by a rotation, by a way back; recordings by their own moments."""

import numpy as np

from latentveil.auditing.risks.alignment import (
    Stores,
    align,
    centred,
    coordinates,
    procrustes,
    recolour,
    ridge,
    whitened,
)

RANDOM = np.random.default_rng(0)
TARGET = RANDOM.normal(size=(400, 6)) @ RANDOM.normal(size=(6, 6)) + 5
PAIRS = np.arange(400) < 100


def test_a_rotation_is_undone_for_videos_that_were_no_pairs():
    rotation = np.linalg.qr(RANDOM.normal(size=(6, 6)))[0]
    np.testing.assert_allclose(procrustes(TARGET @ rotation - 3, TARGET, PAIRS), TARGET, atol=1e-8)


def test_any_linear_change_is_undone_by_the_way_back():
    changed = TARGET @ RANDOM.normal(size=(6, 9)) + 1
    np.testing.assert_allclose(ridge(changed, TARGET, PAIRS, penalty=1e-9), TARGET, atol=1e-3)


def test_moments_give_the_covariance_of_the_other_store():
    source = RANDOM.normal(size=(400, 6)) * 10 - 4
    moved = recolour(source, TARGET)
    np.testing.assert_allclose(moved.mean(axis=0), 0, atol=1e-9)
    apart = np.abs(np.cov(moved.T) - np.cov(TARGET.T)).max()
    assert apart < 0.3 * np.abs(np.cov(TARGET.T)).max()


def test_whitened_has_even_spread():
    spread = np.linalg.eigvalsh(np.cov(whitened(TARGET).T))
    assert spread.min() > 0.1
    assert spread.max() < 1.2


def test_each_recording_is_centred_by_itself():
    recording = np.repeat(["a", "b"], 200)
    found = {one.name: one for one in align(Stores(TARGET, TARGET, True, recording), PAIRS)}
    assert list(found) == ["as is", "recordings centred", "recordings whitened"]
    for part in (slice(200), slice(200, 400)):
        np.testing.assert_allclose(found["recordings centred"].probe[part].mean(axis=0), 0, atol=1e-9)


def test_who_holds_no_pairs_makes_none():
    names = {one.name for one in align(Stores(TARGET, TARGET + 1, True), PAIRS)}
    assert names == {"as is", "moments"}
    assert not list(align(Stores(TARGET, TARGET[:, :3], False), PAIRS))


def test_rounding_is_no_difference():
    assert not centred(np.full((50, 4), 0.1) + 1e-12 * RANDOM.normal(size=(50, 4))).any()
    assert centred(TARGET).any()


def test_coordinates_keep_all_cosines():
    wide = RANDOM.normal(size=(30, 200)) + 2
    [narrow] = coordinates(wide)
    assert narrow.shape[1] <= 30
    np.testing.assert_allclose(narrow @ narrow.T, wide @ wide.T, rtol=1e-9)
