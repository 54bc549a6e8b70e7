"""The actions by name."""

from __future__ import annotations

from collections.abc import Callable

from latentveil.actors.motion import gestures, locomotion
from latentveil.actors.motion.beat import Angles, Beat
from latentveil.errors import InputError

ACTIONS: dict[str, Callable[[Beat], Angles]] = {
    "walk": locomotion.walk,
    "run": locomotion.run,
    "jump": locomotion.jump,
    "squat": locomotion.squat,
    "sit_down": locomotion.sit_down,
    "stand_up": locomotion.stand_up,
    "pick_up": locomotion.pick_up,
    "put_down": locomotion.put_down,
    "bow": gestures.bow,
    "wave": gestures.wave,
    "raise_arm": gestures.raise_arm,
    "clap": gestures.clap,
    "punch": gestures.punch,
    "kick": gestures.kick,
    "turn_around": locomotion.turn_around,
    "fall": locomotion.fall,
}
"""The labelled actions, in the order of their class index."""

MOTIONS = ACTIONS | {
    "stand": locomotion.stand,
    "sit": locomotion.sit,
    "carry": locomotion.carry,
    "lie": locomotion.lie,
    "get_up": locomotion.get_up,
}
"""The labelled actions and what happens between them."""


def angles_of(action: str, beat: Beat) -> Angles:
    """Joint angles (T,) in radians of every channel (``lift`` in metres) for an action, see MOTIONS."""
    if action not in MOTIONS:
        raise InputError(f"action must be one of {', '.join(MOTIONS)}, got {action!r}.")
    angles = locomotion.standing(beat)
    for channel, values in MOTIONS[action](beat).items():
        angles[channel] = angles[channel] + values
    return angles
