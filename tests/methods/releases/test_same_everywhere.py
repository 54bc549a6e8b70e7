"""The same release gives the same features on every machine, whichever eigenvectors its processor finds."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg

import latentveil as lv
from latentveil.config import change_settings
from latentveil.methods.base import TrainingData
from latentveil.methods.releases import moments
from latentveil.methods.releases.axes import symmetric_root, with_fixed_signs
from latentveil.methods.transport import TransportSettings, fit
from latentveil.types import FeatureSet

PEOPLE, ACTIONS, REPEATS, DIM = 5, 4, 3, 96


@pytest.fixture(scope="module")
def release():
    """Features, and who is in each video and how dressed; there are fewer groups than dimensions."""
    random = np.random.default_rng(0)
    looks, acts = 3 * random.standard_normal((PEOPLE, DIM)), 3 * random.standard_normal((ACTIONS, DIM))
    clips, stills, person, dress = {}, {}, {}, {}
    for number in range(PEOPLE * ACTIONS * REPEATS):
        who, what = number % PEOPLE, number // PEOPLE % ACTIONS
        name = f"v{number}"
        clips[name] = (looks[who] + acts[what] + random.standard_normal((3, DIM))).astype(np.float32)
        stills[name] = (looks[who] + 0.3 * random.standard_normal((2, DIM))).astype(np.float32)
        person[name], dress[name] = f"p{who}", f"d{number % 3}"
    return FeatureSet.from_arrays(clips, stills=stills), {"person": person, "dress": dress}


def on_another_machine(monkeypatch):
    """Every other eigenvector is turned round, and those of equal eigenvalues are mixed."""

    def turned(eigh):
        def found(*args, **options):
            values, axes = eigh(*args, **options)
            axes = axes * np.where(np.arange(axes.shape[1]) % 2, -1.0, 1.0)
            alike = np.abs(values - values[0]) < 1e-9 * np.abs(values).max()
            mixed = np.linalg.qr(np.random.default_rng(1).standard_normal((alike.sum(), alike.sum())))[0]
            axes[:, alike] = axes[:, alike] @ mixed
            return values, axes

        return found

    monkeypatch.setattr(np.linalg, "eigh", turned(np.linalg.eigh))
    monkeypatch.setattr(moments, "eigh", turned(scipy.linalg.eigh))
    monkeypatch.setattr(moments, "eigsh", turned(scipy.sparse.linalg.eigsh))


@pytest.mark.parametrize(
    "changes",
    [
        ("groups=person",),
        ("groups=person,dress",),
        ("groups=stills",),
        ("groups=video",),
        ("groups=person", "by_variance=true", "components=16"),
        ("groups=person", "by_variance=true"),
    ],
)
def test_signs_of_axes_change_nothing(release, monkeypatch, changes):
    features, groups = release
    settings = change_settings(
        TransportSettings(), [f"transport.{one}" for one in changes], owner="transport"
    )
    data = TrainingData(features=features, groups=groups)
    here = lv.apply(fit(data, settings), features, seed=0, progress=False).feature
    on_another_machine(monkeypatch)
    there = lv.apply(fit(data, settings), features, seed=0, progress=False).feature
    np.testing.assert_allclose(there, here, atol=1e-4)


def test_the_first_of_the_largest_entries_is_positive():
    axes = np.array([[0.1, 0.7], [-0.9, 0.1], [0.3, -0.7 - 1e-12]])
    for turned in (axes, -axes):
        np.testing.assert_array_equal(with_fixed_signs(turned), axes * [-1, 1])


def test_the_root_of_a_covariance():
    rows = np.random.default_rng(0).standard_normal((3, 5))
    covariance = rows.T @ rows  # of rank 3
    root = symmetric_root(covariance)
    np.testing.assert_allclose(root, root.T, atol=1e-12)
    np.testing.assert_allclose(root @ root, covariance, atol=1e-12)
