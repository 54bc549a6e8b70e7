"""Changes of features: what each leaves equal and what it takes away."""

import numpy as np
import pytest

from latentveil.attacks.preprocess import fit_preprocessing, principal_axes
from latentveil.errors import InputError


def rows(num_rows=50, dim=6, seed=0):
    random = np.random.default_rng(seed)
    return (random.normal(size=(num_rows, dim)) * np.logspace(-3, 1, dim) + 5).astype(np.float32)


def test_none_moves_and_scales_but_keeps_the_shape_of_the_cloud():
    feature = rows()
    changed = fit_preprocessing("none", feature)(feature)
    centred = feature - feature.mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(changed.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(np.square(changed).mean(), 1, rtol=1e-5)
    np.testing.assert_allclose(changed, centred / np.sqrt(np.square(centred).mean()), rtol=1e-4, atol=1e-6)


def test_standardise_gives_every_dimension_spread_one_and_a_dead_one_none():
    feature = rows()
    feature[:, 2] = 3
    changed = fit_preprocessing("standardise", feature)(feature)
    np.testing.assert_allclose(changed.std(axis=0), [1, 1, 0, 1, 1, 1], atol=1e-4)


@pytest.mark.parametrize("num_rows", [50, 4])
def test_whiten_gives_unit_covariance(num_rows):
    feature = rows(num_rows)
    changed = fit_preprocessing("whiten", feature)(feature).astype(np.float64)
    rank = min(num_rows - 1, 6)
    assert changed.shape == (num_rows, rank)
    np.testing.assert_allclose(changed.T @ changed / num_rows, np.eye(rank), atol=1e-3)


def test_whiten_keeps_the_largest_components():
    feature = rows()
    all_of_them = fit_preprocessing("whiten", feature)(feature)
    np.testing.assert_array_equal(
        fit_preprocessing("whiten", feature, max_components=2)(feature), all_of_them[:, :2]
    )


def test_normalise_forgets_the_length_of_a_row():
    feature = rows()
    transform = fit_preprocessing("normalise", feature)
    lengths = np.random.default_rng(1).uniform(0.5, 2, size=(50, 1)).astype(np.float32)
    np.testing.assert_allclose(transform(feature * lengths), transform(feature), atol=1e-4)


@pytest.mark.parametrize("name", ["none", "standardise", "whiten", "normalise"])
def test_the_unit_of_the_feature_does_not_matter(name):
    feature = rows()
    change = fit_preprocessing(name, feature)(feature)
    other = fit_preprocessing(name, feature * np.float32(1024))(feature * np.float32(1024))
    np.testing.assert_allclose(np.abs(change), np.abs(other), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_principal_axes_rebuild_the_covariance(shape):
    centred = np.random.default_rng(2).normal(size=shape)
    centred -= centred.mean(axis=0)
    principal = principal_axes(centred)
    rebuilt = (principal.axes * principal.variance) @ principal.axes.T
    np.testing.assert_allclose(rebuilt, centred.T @ centred / shape[0], atol=1e-9)
    assert (np.diff(principal.variance) <= 0).all()


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="whitten"):
        fit_preprocessing("whitten", rows())
