"""The ground on which actions are written: channels of joint angles, the course of time, and curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.actors.people import Style

Angles = dict[str, np.ndarray]

SIDES = ("left", "right")
CHANNELS = (
    *("yaw", "pitch", "roll", "lift", "lean", "side", "twist", "pelvis_twist", "neck_pitch", "neck_yaw"),
    *(
        f"{joint}_{side}"
        for joint in ("shoulder", "abduction", "arm_twist", "elbow", "hip", "spread", "knee", "foot")
        for side in SIDES
    ),
)


@dataclass(frozen=True)
class Beat:
    """The moment-to-moment input of an action.

    ``time`` (T,) seconds since its start, ``progress`` (T,) in [0, 1] over its length; ``hand`` is the preferred side
    and ``variant`` in [0, 1) picks among the ways to do it.
    """

    time: np.ndarray
    progress: np.ndarray
    style: Style
    hand: str = "right"
    variant: float = 0.0


def smooth_step(progress: np.ndarray) -> np.ndarray:
    """0 before 0, 1 after 1, with zero slope at both ends."""
    x = np.clip(progress, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def window(progress: np.ndarray, start: float, end: float) -> np.ndarray:
    return smooth_step((progress - start) / (end - start))


def bump(progress: np.ndarray, start: float = 0.0, end: float = 1.0) -> np.ndarray:
    """Rises from 0 at ``start`` to 1 half way and falls back to 0 at ``end``."""
    return np.sin(np.pi * np.clip((progress - start) / (end - start), 0.0, 1.0)) ** 2


def other_side(side: str) -> str:
    return "left" if side == "right" else "right"


def both_sides(joint: str, values: np.ndarray) -> Angles:
    return {f"{joint}_{side}": values for side in SIDES}


def guard(strength: np.ndarray) -> Angles:
    return (
        both_sides("shoulder", 0.55 * strength)
        | both_sides("elbow", 1.9 * strength)
        | both_sides("arm_twist", -0.25 * strength)
    )
