"""Actions of the whole body: getting about, up and down, and lifting."""

from __future__ import annotations

import numpy as np

from latentveil.actors.motion.beat import (
    CHANNELS,
    SIDES,
    Angles,
    Beat,
    both_sides,
    bump,
    other_side,
    window,
)


def standing(beat: Beat) -> Angles:
    """A relaxed stance that breathes and shifts its weight a little."""
    zeros = np.zeros_like(beat.time)
    style = beat.style
    breath = np.sin(2 * np.pi * 0.3 * beat.time + 6 * beat.variant)
    angles = dict.fromkeys(CHANNELS, zeros)
    angles |= {"lean": style.lean + 0.015 * breath, "side": 0.02 * np.sin(1.3 * beat.time + 6 * beat.variant)}
    angles |= {"neck_pitch": -0.5 * style.lean + 0.02 * breath, "neck_yaw": 0.06 * np.sin(0.9 * beat.time)}
    angles |= both_sides("shoulder", zeros + 0.05) | both_sides("elbow", zeros + style.elbow_bend)
    angles |= both_sides("abduction", zeros + 0.12) | both_sides("spread", zeros + 0.03 + style.step_width)
    return angles


def _stride(beat: Beat, *, rate: float, reach: float, knee: float, arms: float) -> Angles:
    """The cycle that walking and running share: ``rate`` strides per second, ``reach`` the hip's amplitude."""
    style = beat.style
    phase = 2 * np.pi * (rate * style.tempo * beat.time + beat.variant)
    angles: Angles = {}
    for side, shift, gain in (("left", 0.0, 1 + style.asymmetry), ("right", np.pi, 1 - style.asymmetry)):
        own = phase + shift
        swing = np.maximum(0.0, np.cos(own + 0.35)) ** 1.5
        angles[f"hip_{side}"] = reach * style.stride * gain * (np.sin(own) + 0.25)
        angles[f"knee_{side}"] = knee * gain * swing + 0.1 + 0.08 * np.maximum(0.0, -np.cos(own))
        angles[f"foot_{side}"] = 0.7 * reach * style.stride * np.maximum(
            0.0, -np.sin(own + 0.5)
        ) - 0.15 * np.maximum(0.0, np.sin(own - 0.3))
        angles[f"shoulder_{side}"] = -arms * style.arm_swing * gain * np.sin(own + style.arm_lag)
        angles[f"elbow_{side}"] = 0.25 * arms * style.arm_swing * (1 - np.sin(own + style.arm_lag))
    angles["pelvis_twist"] = -0.25 * reach * np.sin(phase)
    angles["twist"] = (0.25 * reach + 0.15 * arms * style.arm_swing) * np.sin(phase + style.arm_lag)
    angles["side"] = style.sway * np.sin(phase + 0.6)
    angles["lift"] = style.bob * (1 + np.cos(2 * phase)) / 2
    angles["neck_pitch"] = 0.04 * np.cos(2 * phase)
    return angles


def walk(beat: Beat) -> Angles:
    return _stride(beat, rate=0.98, reach=0.46, knee=0.72, arms=0.42)


def run(beat: Beat) -> Angles:
    angles = _stride(beat, rate=1.4, reach=0.56, knee=1.65, arms=0.75)
    phase = 4 * np.pi * (1.4 * beat.style.tempo * beat.time + beat.variant)
    bent = np.full_like(beat.time, 1.3 - beat.style.elbow_bend / 2)
    for side in SIDES:
        angles[f"elbow_{side}"] = angles[f"elbow_{side}"] * 0.4 + bent
    angles["lean"] = np.full_like(beat.time, 0.2)
    angles["lift"] = angles["lift"] + 0.07 * beat.style.amplitude * (1 + np.cos(phase)) / 2
    return angles


def _crouch(depth: np.ndarray, *, hip: float, knee: float) -> Angles:
    return both_sides("hip", hip * depth) | both_sides("knee", knee * depth)


def jump(beat: Beat) -> Angles:
    cycle = np.mod(beat.time * 0.85 * beat.style.tempo + 0.15 * beat.variant, 1.0)
    dip = bump(cycle, 0.0, 0.45) + 0.6 * bump(cycle, 0.72, 1.0)
    flight = np.clip((cycle - 0.4) / 0.36, 0.0, 1.0)
    angles = _crouch(dip * beat.style.amplitude, hip=0.85, knee=1.5)
    angles["lift"] = 0.95 * beat.style.amplitude * flight * (1 - flight)
    angles["lean"] = 0.45 * dip
    angles |= both_sides("shoulder", -0.9 * dip + 2.0 * beat.style.amplitude * bump(cycle, 0.25, 0.85))
    return angles | both_sides("foot", 0.6 * bump(cycle, 0.38, 0.76))


def squat(beat: Beat) -> Angles:
    cycle = np.mod(beat.time * 0.6 * beat.style.tempo, 1.0)
    depth = bump(cycle) * min(beat.style.amplitude, 1.08)
    angles = _crouch(depth, hip=1.5, knee=2.1)
    return (
        angles
        | {"lean": 0.55 * depth}
        | both_sides("shoulder", 1.45 * depth)
        | both_sides("spread", 0.15 * depth)
    )


def turn_around(beat: Beat) -> Angles:
    turned = window(beat.progress, 0.05, 0.95)
    effort = bump(beat.progress)
    steps = _stride(beat, rate=1.1, reach=0.2, knee=0.7, arms=0.2)
    angles = {channel: values * effort for channel, values in steps.items()}
    direction = 1.0 if beat.hand == "right" else -1.0
    angles["yaw"] = direction * np.pi * turned
    angles["neck_yaw"] = 0.5 * direction * bump(beat.progress, 0.0, 0.7)
    return angles


def _sitting(depth: np.ndarray) -> Angles:
    """From standing (0) to seated (1), leaning forward on the way."""
    angles = _crouch(depth, hip=1.5, knee=1.5)
    angles["lean"] = 0.7 * np.sin(np.pi * depth)
    angles["neck_pitch"] = -0.25 * np.sin(np.pi * depth)
    return (
        angles
        | both_sides("shoulder", 0.5 * depth + 0.3 * np.sin(np.pi * depth))
        | both_sides("elbow", 0.5 * depth)
    )


def sit_down(beat: Beat) -> Angles:
    return _sitting(window(beat.progress, 0.08, 0.85))


def stand_up(beat: Beat) -> Angles:
    return _sitting(1.0 - window(beat.progress, 0.15, 0.92))


def sit(beat: Beat) -> Angles:
    return _sitting(np.ones_like(beat.time))


def _reaching(depth: np.ndarray, held: np.ndarray) -> Angles:
    """Both hands at the floor at depth 1; ``held`` brings them in front of the belly when upright."""
    upright = held * (1.0 - depth)
    angles = _crouch(depth, hip=1.4, knee=2.1) | {"lean": 1.15 * depth, "neck_pitch": -0.3 * depth}
    angles |= both_sides("shoulder", 1.3 * depth + 0.35 * upright) | both_sides(
        "elbow", 1.15 * upright - 0.1 * depth
    )
    return angles | both_sides("abduction", -0.1 * depth - 0.12 * upright)


def _lifting(progress: np.ndarray) -> Angles:
    return _reaching(window(progress, 0.05, 0.48) - window(progress, 0.52, 0.95), (progress > 0.5) * 1.0)


def pick_up(beat: Beat) -> Angles:
    return _lifting(beat.progress)


def put_down(beat: Beat) -> Angles:
    return _lifting(1.0 - beat.progress)


def carry(beat: Beat) -> Angles:
    return _reaching(np.zeros_like(beat.time), np.ones_like(beat.time))


def _falling(down: np.ndarray, variant: float) -> Angles:
    """From standing (0) to lying (1), forward, backward or to a side by ``variant``."""
    midway = np.sin(np.pi * np.clip(down, 0.0, 1.0))
    angles = _crouch(0.8 * midway + 0.12 * down, hip=0.5, knee=1.1)
    if variant < 0.7:
        # Who lies on the belly or the back has the arms spread out flat on the floor.
        angles |= both_sides("shoulder", 1.2 * midway) | both_sides("abduction", 1.1 * down)
        angles |= both_sides("arm_twist", 1.5 * down) | both_sides("elbow", 0.4 * midway + 0.2 * down)
        forward = variant < 0.4
        angles |= both_sides("foot", (1.2 if forward else 0.3) * down)
        return angles | {
            "pitch": (1.5 if forward else -1.5) * down,
            "neck_pitch": (-0.2 if forward else 0.1) * down,
        }
    lower = "right" if variant < 0.85 else "left"
    angles |= {f"shoulder_{lower}": 1.4 * down, f"abduction_{lower}": -0.12 * down}
    angles |= {f"shoulder_{other_side(lower)}": 1.2 * midway + 0.5 * down}
    angles |= both_sides("foot", 0.5 * down) | both_sides("spread", -0.06 * down)
    return angles | {"roll": (1.5 if lower == "right" else -1.5) * down}


def fall(beat: Beat) -> Angles:
    drop = np.clip((beat.progress - 0.1) / 0.5, 0.0, 1.0)
    settle = 0.05 * np.sin(np.pi * np.clip((beat.progress - 0.6) / 0.2, 0, 1))
    return _falling(drop**2 * (3 - 2 * drop) - settle, beat.variant)


def lie(beat: Beat) -> Angles:
    return _falling(np.ones_like(beat.time), beat.variant)


def get_up(beat: Beat) -> Angles:
    return _falling(1.0 - window(beat.progress, 0.0, 1.0), beat.variant)


def stand(beat: Beat) -> Angles:
    return {"neck_yaw": 0.3 * np.sin(0.7 * beat.time + 6 * beat.variant)}
