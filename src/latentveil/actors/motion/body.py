"""The skeleton: joint angles over time to joint positions, with the lowest point always on the floor.

A person's own axes are x to the left, y up, z forward; with yaw 0 these are the axes of the world, and the camera
looks along -z, so that yaw 0 faces it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.actors.motion.beat import SIDES, Angles
from latentveil.actors.people import Build

# Shares of the body height; after the segment lengths of Drillis & Contini (1966), the head a little larger.
THIGH, SHIN = 0.242, 0.243
LOWER_SPINE, UPPER_SPINE, NECK = 0.13, 0.155, 0.05
UPPER_ARM, FOREARM, HAND = 0.17, 0.146, 0.055
FOOT_FRONT, FOOT_BACK = 0.095, 0.025

Rotations = np.ndarray  # (T, 3, 3)


@dataclass(frozen=True)
class Skeleton:
    """Where a body is: ``joints`` maps a name to positions (T, 3) in metres, ``frames`` to rotations (T, 3, 3)."""

    joints: dict[str, np.ndarray]
    frames: dict[str, Rotations]

    def point(self, frame: str, joint: str, offset: tuple[float, float, float]) -> np.ndarray:
        """Positions (T, 3) of a point fixed to a bone: an ``offset`` in the axes of ``frame`` from ``joint``."""
        return self.joints[joint] + self.frames[frame] @ np.asarray(offset)


def rotate_x(angle: np.ndarray) -> Rotations:
    """Turn up towards forward."""
    return _rotation(angle, 1, 2)


def rotate_y(angle: np.ndarray) -> Rotations:
    """Turn forward towards left."""
    return _rotation(angle, 2, 0)


def rotate_z(angle: np.ndarray) -> Rotations:
    """Turn left towards up."""
    return _rotation(angle, 0, 1)


def pose_skeleton(build: Build, angles: Angles) -> Skeleton:
    """Forward kinematics with the pelvis over the origin and the lowest point of the body at height ``lift``."""
    height = build.height
    joints, frames = {"pelvis": np.zeros((len(angles["yaw"]), 3))}, {}
    frames["root"] = rotate_y(angles["yaw"]) @ rotate_z(angles["roll"]) @ rotate_x(angles["pitch"])
    frames["pelvis"] = frames["root"] @ rotate_y(angles["pelvis_twist"]) @ rotate_x(0.45 * angles["lean"])
    frames["chest"] = (
        frames["pelvis"]
        @ rotate_y(angles["twist"])
        @ rotate_x(0.55 * angles["lean"])
        @ rotate_z(angles["side"])
    )
    frames["head"] = frames["chest"] @ rotate_y(angles["neck_yaw"]) @ rotate_x(angles["neck_pitch"])
    skeleton = Skeleton(joints, frames)
    joints["waist"] = skeleton.point("pelvis", "pelvis", (0, LOWER_SPINE * height, 0))
    joints["chest"] = skeleton.point("chest", "waist", (0, UPPER_SPINE * height, 0))
    joints["head"] = skeleton.point("head", "chest", (0, NECK * height, 0.008 * height))
    for side, sign in zip(SIDES, (1.0, -1.0)):
        _pose_arm(skeleton, build, angles, side=side, sign=sign)
        _pose_leg(skeleton, build, angles, side=side, sign=sign)
    lowest = np.min([_underside(name, positions, height) for name, positions in joints.items()], axis=0)
    rise = np.stack([np.zeros_like(lowest), angles["lift"] - lowest, np.zeros_like(lowest)], axis=-1)
    return Skeleton({name: positions + rise for name, positions in joints.items()}, frames)


def travel(skeleton: Skeleton, *, fps: float) -> np.ndarray:
    """The way (T, 2) in x and z that the pelvis goes so that the foot on the ground stays where it is."""
    feet = np.stack([skeleton.joints[f"ankle_{side}"] for side in SIDES])  # (2, T, 3)
    ground = feet[..., 1] - feet[..., 1].min(axis=0)
    weight = np.exp(-ground / 0.015)
    weight /= weight.sum(axis=0)
    steps = np.diff(feet[..., [0, 2]], axis=1)  # (2, T - 1, 2)
    shared = 0.5 * (weight[:, 1:] + weight[:, :-1])[..., None]
    velocity = -(shared * steps).sum(axis=0)
    return np.concatenate(
        [np.zeros((1, 2)), np.cumsum(_smooth(velocity, width=max(1, round(0.15 * fps))), axis=0)]
    )


def moved(skeleton: Skeleton, way: np.ndarray) -> Skeleton:
    """The skeleton shifted by ``way`` (T, 2) over the floor."""
    shift = np.stack([way[:, 0], np.zeros(len(way)), way[:, 1]], axis=-1)
    return Skeleton({name: positions + shift for name, positions in skeleton.joints.items()}, skeleton.frames)


def _pose_arm(skeleton: Skeleton, build: Build, angles: Angles, *, side: str, sign: float) -> None:
    height, joints, frames = build.height, skeleton.joints, skeleton.frames
    joints[f"shoulder_{side}"] = skeleton.point(
        "chest", "chest", (sign * build.shoulder_width / 2, -0.018 * height, 0)
    )
    upper = f"upper_arm_{side}"
    frames[upper] = (
        frames["chest"]
        @ rotate_z(sign * angles[f"abduction_{side}"])
        @ rotate_x(-angles[f"shoulder_{side}"])
        @ rotate_y(sign * angles[f"arm_twist_{side}"])
    )
    frames[f"forearm_{side}"] = frames[upper] @ rotate_x(-angles[f"elbow_{side}"])
    reach = height * build.arm_share
    joints[f"elbow_{side}"] = skeleton.point(upper, f"shoulder_{side}", (0, -UPPER_ARM * reach, 0))
    joints[f"wrist_{side}"] = skeleton.point(f"forearm_{side}", f"elbow_{side}", (0, -FOREARM * reach, 0))
    joints[f"hand_{side}"] = skeleton.point(f"forearm_{side}", f"wrist_{side}", (0, -HAND * reach, 0))


def _pose_leg(skeleton: Skeleton, build: Build, angles: Angles, *, side: str, sign: float) -> None:
    """Legs hang from the root, not from the leaning pelvis, so that a bow leaves them where they are."""
    height, joints, frames = build.height, skeleton.joints, skeleton.frames
    joints[f"hip_{side}"] = skeleton.point("pelvis", "pelvis", (sign * build.hip_width / 2, 0, 0))
    thigh, shin, foot = f"thigh_{side}", f"shin_{side}", f"foot_{side}"
    frames[thigh] = (
        frames["root"] @ rotate_z(sign * angles[f"spread_{side}"]) @ rotate_x(-angles[f"hip_{side}"])
    )
    frames[shin] = frames[thigh] @ rotate_x(angles[f"knee_{side}"])
    turnout = rotate_y(sign * 0.12 * np.ones_like(angles[foot]))
    frames[foot] = frames["root"] @ turnout @ rotate_x(angles[foot])
    reach = height * build.leg_share
    joints[f"knee_{side}"] = skeleton.point(thigh, f"hip_{side}", (0, -THIGH * reach, 0))
    joints[f"ankle_{side}"] = skeleton.point(shin, f"knee_{side}", (0, -SHIN * reach, 0))
    joints[f"heel_{side}"] = skeleton.point(foot, f"ankle_{side}", (0, -0.018 * height, -FOOT_BACK * height))
    joints[f"toe_{side}"] = skeleton.point(foot, f"ankle_{side}", (0, -0.025 * height, FOOT_FRONT * height))


_FLESH = {
    "heel": 0.024,
    "toe": 0.018,
    "hand": 0.018,
    "knee": 0.04,
    "elbow": 0.028,
    "hip": 0.07,
    "pelvis": 0.07,
}


def _underside(name: str, positions: np.ndarray, height: float) -> np.ndarray:
    """The height (T,) of the skin below a joint."""
    return positions[:, 1] - _FLESH.get(name.split("_")[0], 0.05) * height


def _rotation(angle: np.ndarray, first: int, second: int) -> Rotations:
    matrix = np.broadcast_to(np.eye(3), (*angle.shape, 3, 3)).copy()
    cos, sin = np.cos(angle), np.sin(angle)
    matrix[..., first, first], matrix[..., second, second] = cos, cos
    matrix[..., second, first], matrix[..., first, second] = sin, -sin
    return matrix


def _smooth(values: np.ndarray, *, width: int) -> np.ndarray:
    """A running mean over ``width`` of the rows (T, 2), with the ends repeated."""
    if len(values) == 0 or width == 1:
        return values
    padded = np.concatenate(
        [values[:1].repeat(width // 2, 0), values, values[-1:].repeat(width - 1 - width // 2, 0)]
    )
    total = np.cumsum(np.concatenate([np.zeros((1, 2)), padded]), axis=0)
    return (total[width:] - total[:-width]) / width
