"""Which components `transport` keeps: what moves, not what a still shows as well."""

import numpy as np

from latentveil.adapters.anonymize import anonymize
from latentveil.config import change_settings
from latentveil.methods.base import TrainingData
from latentveil.methods.releases import moments
from latentveil.methods.releases.moments import Moments, moving_axes
from latentveil.methods.transport import TransportSettings, fit
from latentveil.types import FeatureSet

DIM, LOOKS, MOVES = (
    20,
    12,
    3,
)  # looks vary along the first axes, movement along the next, little along the rest


def draws(seed, *, moves, videos=300):
    """Moments of clips (one per video), of stills with the same looks, and the clips (V, D)."""
    random = np.random.default_rng(seed)
    looks = np.zeros((videos, DIM))
    looks[:, :LOOKS] = 10 * random.standard_normal((videos, LOOKS))
    clips = looks + 0.1 * random.standard_normal((videos, DIM))
    clips[:, LOOKS : LOOKS + MOVES] += moves * random.standard_normal((videos, MOVES))
    stills = looks + 0.1 * random.standard_normal((videos, DIM))
    found = Moments(DIM), Moments(DIM)
    for each, rows in zip(found, (clips, stills)):
        each.add(rows, np.arange(videos))
    return *found, clips


def kept_of_movement(axes):
    """The share of the axes of movement that ``axes`` (D, k) span, 0 to 1."""
    return float((axes[LOOKS : LOOKS + MOVES] ** 2).sum() / MOVES)


def test_axes_follow_movement_where_variance_follows_looks():
    clips, stills, _ = draws(0, moves=4.0)
    axes = moving_axes(clips, stills, MOVES)
    assert np.allclose(axes.T @ axes, np.eye(MOVES))
    assert kept_of_movement(axes) > 0.95
    assert kept_of_movement(clips.axes(MOVES)) < 0.05


def test_what_hardly_differs_is_no_movement(monkeypatch):
    clips, _, _ = draws(0, moves=4.0)
    random = np.random.default_rng(5)
    rows = 10 * random.standard_normal((300, DIM)) * (np.arange(DIM) < LOOKS)
    rows += 0.1 * random.standard_normal((300, DIM)) * (np.arange(DIM) < LOOKS + MOVES)
    stills = Moments(DIM)
    stills.add(
        rows, np.arange(len(rows))
    )  # nothing at all differs along the last axes, where clips have noise
    assert kept_of_movement(moving_axes(clips, stills, MOVES)) > 0.95
    monkeypatch.setattr(moments, "STILL_FLOOR", 1e-12)
    assert kept_of_movement(moving_axes(clips, stills, MOVES)) < 0.05


def test_clips_that_say_no_more_than_stills_have_no_such_axes():
    clips, stills, _ = draws(1, moves=0.0)
    assert moving_axes(clips, stills, MOVES) is None


def test_stills_that_never_differ_leave_variance_to_choose():
    clips, _, rows = draws(2, moves=4.0)
    stills = Moments(DIM)
    stills.add(np.zeros_like(rows), np.arange(len(rows)))
    axes = moving_axes(clips, stills, 5)
    assert np.allclose(np.abs(axes.T @ clips.axes(5)).max(axis=0), 1, atol=1e-6)


def released(*changes):
    """How well two movements of a release are told after `transport` with few components, by their means."""
    _, _, rows = draws(3, moves=0.0, videos=240)
    side = np.arange(len(rows)) % 2
    rows[:, LOOKS] += 6 * (2 * side - 1) + np.random.default_rng(3).standard_normal(len(rows))
    stills = rows.copy()
    stills[:, LOOKS:] = 0
    names = [f"v{number:03d}" for number in range(len(rows))]
    features = FeatureSet.from_arrays(
        {name: row[None].astype(np.float32) for name, row in zip(names, rows)},
        stills={name: row[None].astype(np.float32) for name, row in zip(names, stills)},
    )
    chosen = change_settings(
        TransportSettings(),
        ["transport.components=4", "transport.groups=person", "transport.noise=0", *changes],
        owner="transport",
    )
    groups = {name: f"p{number // 2 % 6}" for number, name in enumerate(names)}
    adapter = fit(TrainingData(features=features, groups={"person": groups}), chosen)
    safe = anonymize(adapter, features, seed=0).of_kind("temporal").feature
    away = [((safe - safe[side == part].mean(axis=0)) ** 2).sum(axis=1) for part in (0, 1)]
    return float(((away[1] < away[0]) == side).mean())


def test_a_release_of_few_components_keeps_the_movement():
    assert released() > 0.95
    assert released("transport.by_variance=true") < 0.75
