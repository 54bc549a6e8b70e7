"""The skeleton: bones of constant length, on the floor, with feet that stay where they step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from latentveil.actors.description import Actor, Step
from latentveil.actors.motion import body
from latentveil.actors.motion.choreography import perform
from latentveil.actors.motion.motions import ACTIONS, MOTIONS
from latentveil.actors.people import draw_outfits, draw_people

BONES = (
    ("pelvis", "waist"),
    ("waist", "chest"),
    *((f"{first}_{side}", f"{second}_{side}") for side in ("left", "right") for first, second in (
        ("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"), ("ankle", "toe"),
    )),
)  # fmt: skip


def actor_of(action: str, *, seed: int = 3, heading: float = 0.4) -> Actor:
    rng = np.random.default_rng(seed)
    (person,) = draw_people(rng, 1)
    return Actor(person, draw_outfits(rng, [person])[0], (Step(action, 0.0, 2.0),), heading=heading)


@pytest.mark.parametrize("action", MOTIONS)
def test_bones_keep_their_length(action):
    joints = perform(actor_of(action), num_frames=32, fps=16).joints
    for first, second in BONES:
        lengths = np.linalg.norm(joints[first] - joints[second], axis=-1)
        np.testing.assert_allclose(lengths, lengths[0], rtol=1e-9)
        assert lengths[0] > 0.05


@pytest.mark.parametrize("action", MOTIONS)
def test_nobody_sinks_into_the_floor_or_floats(action):
    actor = actor_of(action)
    joints = perform(actor, num_frames=48, fps=16).joints
    soles = np.min(
        [joints[f"{part}_{side}"][:, 1] for part in ("heel", "toe") for side in ("left", "right")], axis=0
    )
    assert np.min([positions[:, 1] for positions in joints.values()]) > 0
    if action not in ("jump", "run", "fall", "lie", "get_up"):
        assert soles.max() < 0.09


def test_a_hanging_arm_by_hand():
    """With all angles 0 a person stands upright; raising the left arm by 90 degrees to the side points it to +x."""
    actor = actor_of("stand")
    zeros = {channel: np.zeros(2) for channel in body_channels()}
    raised = zeros | {"abduction_left": np.array([0.0, np.pi / 2])}
    joints = body.pose_skeleton(actor.person.build, raised).joints
    arm = joints["wrist_left"] - joints["shoulder_left"]
    length = actor.person.build.height * actor.person.build.arm_share * (body.UPPER_ARM + body.FOREARM)
    np.testing.assert_allclose(arm, [[0, -length, 0], [length, 0, 0]], atol=1e-12)


def test_yaw_turns_the_face_from_the_camera_to_the_right():
    np.testing.assert_allclose(body.rotate_y(np.array([np.pi / 2]))[0] @ (0, 0, 1), (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(body.rotate_x(np.array([np.pi / 2]))[0] @ (0, 1, 0), (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(body.rotate_z(np.array([np.pi / 2]))[0] @ (1, 0, 0), (0, 1, 0), atol=1e-12)


def test_walking_goes_where_the_person_looks_and_the_foot_on_the_ground_stays():
    joints = perform(actor_of("walk", heading=0.7), num_frames=160, fps=80).joints
    way = (joints["pelvis"][-1] - joints["pelvis"][0])[[0, 2]]
    direction = way / np.linalg.norm(way)
    assert direction @ (np.sin(0.7), np.cos(0.7)) > 0.98
    ankles = np.stack([joints["ankle_left"], joints["ankle_right"]])
    lower = ankles[..., 1].argmin(axis=0)[1:]
    steps = np.linalg.norm(np.diff(ankles[..., [0, 2]], axis=1), axis=-1)
    on_ground, in_air = steps[lower, np.arange(len(lower))], steps[1 - lower, np.arange(len(lower))]
    assert np.median(on_ground) < 0.3 * np.median(in_air)


def test_running_is_faster_than_walking():
    speed = {}
    for action in ("walk", "run"):
        pelvis = perform(actor_of(action), num_frames=48, fps=16).joints["pelvis"]
        speed[action] = np.linalg.norm(pelvis[-1] - pelvis[0]) / 3.0
    assert 0.7 < speed["walk"] < 1.8
    assert speed["run"] > 1.4 * speed["walk"]


def test_the_anchor_is_where_the_actor_is_at_that_time():
    actor = replace(actor_of("walk"), anchor=(0.3, -0.6), anchor_seconds=1.5)
    pelvis = perform(actor, num_frames=48, fps=16).joints["pelvis"]
    np.testing.assert_allclose(pelvis[24, [0, 2]], (0.3, -0.6), atol=1e-9)


def test_people_walk_in_their_own_way():
    """Two walks of one person are closer to each other than those of two people, in the course of the joints."""
    rng = np.random.default_rng(0)
    people = draw_people(rng, 6)
    outfits = draw_outfits(rng, people)

    def course(index: int, variant: float) -> np.ndarray:
        actor = Actor(people[index], outfits[index], (Step("walk", 0.0, 6.0),), heading=0.0, variant=variant)
        joints = perform(actor, num_frames=96, fps=16).joints
        relative = [
            joints[name] - joints["pelvis"]
            for name in ("wrist_left", "wrist_right", "ankle_left", "ankle_right")
        ]
        return np.abs(np.fft.rfft(np.concatenate(relative, axis=1), axis=0))[:20]

    courses = [[course(index, variant) for variant in (0.0, 0.37)] for index in range(6)]
    for index, (gallery, probe) in enumerate(courses):
        distances = [np.linalg.norm(probe - other[0]) for other in courses]
        assert int(np.argmin(distances)) == index
        assert np.linalg.norm(gallery - probe) > 0


def test_there_are_at_least_twelve_actions():
    assert len(ACTIONS) >= 12


def body_channels() -> tuple[str, ...]:
    from latentveil.actors.motion.beat import CHANNELS

    return CHANNELS
