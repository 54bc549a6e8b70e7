"""From an actor's plan to a moving skeleton: actions in turn, cross-faded, with feet that do not slide."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Actor, Step
from latentveil.actors.motion.beat import CHANNELS, Angles, Beat, smooth_step
from latentveil.actors.motion.body import Skeleton, moved, pose_skeleton, travel
from latentveil.actors.motion.motions import angles_of

FADE_SECONDS = 0.3


def perform(actor: Actor, *, num_frames: int, fps: float) -> Skeleton:
    """The actor's skeleton in world coordinates, positions (num_frames, 3)."""
    time = np.arange(num_frames) / fps
    skeleton = pose_skeleton(actor.person.build, angles_over_time(actor, time))
    way = travel(skeleton, fps=fps)
    at_anchor = min(num_frames - 1, round(actor.anchor_seconds * fps))
    return moved(skeleton, way - way[at_anchor] + np.asarray(actor.anchor))


def angles_over_time(actor: Actor, time: np.ndarray) -> Angles:
    """The joint angles (T,) at ``time`` in seconds: each step of the plan, faded over into the next."""
    total = dict.fromkeys(CHANNELS, np.zeros_like(time))
    heading = np.full_like(time, actor.heading)
    for index, step in enumerate(actor.plan):
        angles = _step_angles(actor, step, time)
        weight = _weight(time, step, first=index == 0, last=index == len(actor.plan) - 1)
        heading = heading + angles["yaw"] + step.turn_rate * _time_within(time, step)
        total = {channel: total[channel] + weight * angles[channel] for channel in CHANNELS}
    return total | {"yaw": heading}


def _step_angles(actor: Actor, step: Step, time: np.ndarray) -> Angles:
    local = np.clip(time - step.start_seconds, 0.0, None)
    progress = np.clip(local / (step.end_seconds - step.start_seconds), 0.0, 1.0)
    beat = Beat(
        time=local, progress=progress, style=actor.person.style, hand=actor.hand, variant=actor.variant
    )
    return angles_of(step.action, beat)


def _weight(time: np.ndarray, step: Step, *, first: bool, last: bool) -> np.ndarray:
    """1 during the step, fading at its ends; the weights of consecutive steps add up to 1 at any time."""
    rise = np.ones_like(time) if first else smooth_step((time - step.start_seconds) / FADE_SECONDS + 0.5)
    fall = np.zeros_like(time) if last else smooth_step((time - step.end_seconds) / FADE_SECONDS + 0.5)
    return rise - fall


def _time_within(time: np.ndarray, step: Step) -> np.ndarray:
    """The seconds (T,) of the step that have passed."""
    return np.clip(time, step.start_seconds, step.end_seconds) - step.start_seconds
