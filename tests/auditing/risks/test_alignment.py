"""Two stores are brought together: by moments, by a rotation, by a way back; recordings by their own moments."""

import numpy as np

from latentveil.auditing.risks.alignment import (
    Pairs,
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


def pairs_of(source):
    return Pairs(source[PAIRS], TARGET[PAIRS])


def test_a_rotation_is_undone_for_videos_that_were_no_pairs():
    rotation = np.linalg.qr(RANDOM.normal(size=(6, 6)))[0]
    turned = TARGET @ rotation - 3
    np.testing.assert_allclose(procrustes(turned, pairs_of(turned)), TARGET, atol=1e-8)


def test_any_linear_change_is_undone_by_the_way_back():
    changed = TARGET @ RANDOM.normal(size=(6, 9)) + 1
    np.testing.assert_allclose(ridge(changed, pairs_of(changed), penalty=1e-9), TARGET, atol=1e-3)


def test_more_draws_of_the_known_videos_make_a_better_way_back():
    few_pairs = np.arange(len(TARGET)) < 20
    published, *draws = (TARGET + 3 * RANDOM.normal(size=TARGET.shape) for _ in range(9))
    apart = []
    for remade in ((), tuple(draws)):
        pairs = Pairs.of(Stores(published, TARGET, True, raw=TARGET, remade=remade), few_pairs)
        guessed = ridge(published, pairs, penalty=1e-3)
        apart.append(np.square(guessed - TARGET)[~few_pairs].mean())
    assert apart[1] < 0.95 * apart[0]


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


def test_raw_videos_are_also_looked_for_as_the_adapter_shows_them_on_average():
    draws = tuple(TARGET + RANDOM.normal(size=TARGET.shape) for _ in range(3))
    found = {one.name: one for one in align(Stores(draws[0], TARGET, True, remade=draws), PAIRS)}
    np.testing.assert_allclose(found["through the adapter"].gallery, sum(draws) / 3)
    assert found["as is"].gallery is TARGET
    alone = {one.name: one for one in align(Stores(draws[0], draws[0], True, remade=draws), PAIRS)}
    assert list(alone) == ["as is"]
    assert len(alone["as is"].draws) == 3


def test_rounding_is_no_difference():
    assert not centred(np.full((50, 4), 0.1) + 1e-12 * RANDOM.normal(size=(50, 4))).any()
    assert centred(TARGET).any()


def test_coordinates_keep_all_cosines():
    wide = RANDOM.normal(size=(30, 200)) + 2
    [narrow] = coordinates(wide)
    assert narrow.shape[1] <= 30
    np.testing.assert_allclose(narrow @ narrow.T, wide @ wide.T, rtol=1e-9)


def test_nothing_is_learned_from_gallery_videos_that_the_attacker_has_not():
    recording = np.where(np.arange(len(TARGET)) % 2, "here", "there")
    held = np.arange(len(TARGET)) < 300
    poisoned = np.where(held[:, None], TARGET, 1e6)
    found = [
        align(Stores(TARGET * 2, gallery, True, recording, raw=TARGET, held=held), PAIRS)
        for gallery in (TARGET, poisoned)
    ]
    for clean, spoilt in zip(*found, strict=True):
        np.testing.assert_allclose(spoilt.probe, clean.probe, err_msg=clean.name)
        np.testing.assert_allclose(spoilt.gallery[held], clean.gallery[held], err_msg=clean.name)
        np.testing.assert_allclose(spoilt.centred[1][held], clean.centred[1][held], err_msg=clean.name)
        np.testing.assert_allclose(spoilt.principal.variance, clean.principal.variance, err_msg=clean.name)
