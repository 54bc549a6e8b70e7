"""The actions: pairs that share their poses and differ in the motion only."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from latentveil.actors.motion.beat import CHANNELS, Beat, bump, smooth_step
from latentveil.actors.motion.motions import ACTIONS, angles_of
from latentveil.actors.people import draw_people
from latentveil.errors import InputError


def course_of(action: str, *, variant: float = 0.2) -> np.ndarray:
    """Joint angles (T, channels) of two seconds."""
    time = np.arange(32) / 16
    (person,) = draw_people(np.random.default_rng(1), 1)
    angles = angles_of(action, Beat(time=time, progress=time / time[-1], style=person.style, variant=variant))
    return np.stack([angles[channel] for channel in CHANNELS], axis=-1)


@pytest.mark.parametrize(("action", "undone"), [("sit_down", "stand_up"), ("pick_up", "put_down")])
def test_one_action_backwards_is_the_other(action, undone):
    forward, other = course_of(action), course_of(undone)
    backwards = forward[::-1]
    assert np.abs(backwards - other).mean() < 0.1 * np.abs(forward - other).mean() + 0.02
    assert np.abs(forward - other).max() > 1.0


def test_wave_and_raise_arm_share_the_arm_and_differ_in_the_forearm():
    wave, raised = course_of("wave"), course_of("raise_arm")
    middle = slice(16, 22)
    arm, elbow = CHANNELS.index("abduction_right"), CHANNELS.index("elbow_right")
    np.testing.assert_allclose(wave[middle, arm], raised[middle, arm], atol=0.05)
    assert np.ptp(wave[middle, elbow]) > 5 * np.ptp(raised[middle, elbow])


def test_no_two_actions_have_the_same_motion():
    for first, second in itertools.combinations(ACTIONS, 2):
        assert np.abs(course_of(first) - course_of(second)).max() > 0.3, (first, second)


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_moves_without_jumps(action):
    course = course_of(action)
    steps = np.abs(np.diff(course, axis=0))
    assert np.ptp(course, axis=0).max() > 0.5
    assert steps.max() < 1.2
    assert np.isfinite(course).all()


def test_curves_by_hand():
    np.testing.assert_allclose(
        smooth_step(np.array([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0])), [0, 0, 0.15625, 0.5, 1, 1]
    )
    np.testing.assert_allclose(bump(np.array([0.0, 0.25, 0.5, 1.0])), [0, 0.5, 1, 0], atol=1e-12)


def test_unknown_action_is_refused():
    with pytest.raises(InputError, match="action must be one of walk"):
        course_of("moonwalk")
