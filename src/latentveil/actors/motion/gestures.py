"""Actions of one limb or the upper body: gestures, blows and kicks."""

from __future__ import annotations

import numpy as np

from latentveil.actors.motion.beat import Angles, Beat, both_sides, bump, guard, other_side, window


def bow(beat: Beat) -> Angles:
    depth = (window(beat.progress, 0.05, 0.4) - window(beat.progress, 0.6, 0.95)) * beat.style.amplitude
    return (
        {"lean": 1.1 * depth, "neck_pitch": 0.35 * depth}
        | both_sides("hip", -0.1 * depth)
        | both_sides("shoulder", 0.55 * depth)
    )


def _raised(beat: Beat, up: np.ndarray, elbow: np.ndarray) -> Angles:
    """One arm out to the side with the forearm up; ``up`` in [0, 1]."""
    side = beat.hand
    amplitude = 0.5 + 0.5 * beat.style.amplitude
    return {
        f"abduction_{side}": 1.55 * amplitude * up,
        f"arm_twist_{side}": 1.5 * up,
        f"shoulder_{side}": 0.1 * up,
        f"elbow_{side}": elbow * up,
        "side": (0.05 if side == "right" else -0.05) * up,
    }


def wave(beat: Beat) -> Angles:
    up = window(beat.progress, 0.0, 0.2) - window(beat.progress, 0.85, 1.0)
    swing = np.sin(2 * np.pi * (1.7 * beat.style.tempo * beat.time + beat.variant))
    return _raised(beat, up, 1.05 + 0.7 * beat.style.amplitude * swing)


def raise_arm(beat: Beat) -> Angles:
    up = window(beat.progress, 0.05, 0.5) - window(beat.progress, 0.72, 1.0)
    return _raised(beat, up, np.full_like(up, 1.15))


def clap(beat: Beat) -> Angles:
    up = window(beat.progress, 0.0, 0.15) - window(beat.progress, 0.88, 1.0)
    apart = 0.5 - 0.5 * np.cos(2 * np.pi * 1.9 * beat.style.tempo * beat.time)
    angles = both_sides("shoulder", 0.85 * up) | both_sides("elbow", (1.15 - beat.style.elbow_bend / 2) * up)
    angles |= both_sides("arm_twist", -0.35 * up)
    return angles | both_sides("abduction", (-0.22 + 0.75 * beat.style.amplitude * apart) * up)


def punch(beat: Beat) -> Angles:
    cycle = beat.time * 1.15 * beat.style.tempo + 0.5 * (beat.hand == "left")
    up = window(beat.progress, 0.0, 0.12)
    angles = guard(up)
    for side, shift in (("right", 0.0), ("left", 0.5)):
        hit = bump(np.mod(cycle + shift, 1.0), 0.0, 0.5) * up
        angles[f"shoulder_{side}"] = angles[f"shoulder_{side}"] + 0.95 * hit
        angles[f"elbow_{side}"] = angles[f"elbow_{side}"] - 1.85 * hit
        angles[f"hip_{side}"] = (0.25 if side == "left" else -0.25) * up
        angles[f"knee_{side}"] = 0.25 * up
    angles["twist"] = 0.5 * beat.style.amplitude * np.sin(2 * np.pi * cycle) * up
    angles["lean"] = 0.12 * up
    return angles


def kick(beat: Beat) -> Angles:
    leg, cycle = beat.hand, np.mod(beat.time * 0.8 * beat.style.tempo, 1.0)
    windup, hit = bump(cycle, 0.0, 0.45), bump(cycle, 0.28, 0.85)
    angles = guard(np.full_like(beat.time, 0.6))
    angles[f"hip_{leg}"] = -0.45 * windup + 1.5 * beat.style.amplitude * hit
    angles[f"knee_{leg}"] = 1.3 * windup + 0.25 * hit
    angles[f"foot_{leg}"] = 0.4 * windup - 0.8 * hit
    angles[f"knee_{other_side(leg)}"] = 0.25 * hit
    angles[f"hip_{other_side(leg)}"] = 0.1 * hit
    return angles | {"lean": -0.3 * hit, "pelvis_twist": 0.2 * windup}
