"""Things: the chair one sits on, the ball one picks up, and objects that stand about, also in front of people."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Actor
from latentveil.actors.motion.body import Skeleton
from latentveil.actors.rendering.cones import Colour, ConeList, Cones, scaled

BALL_RADIUS = 0.13
BALL_RGB: tuple[Colour, ...] = ((226, 92, 52), (70, 150, 200), (240, 200, 70), (196, 76, 140))
CHAIR_RGB: tuple[Colour, ...] = ((150, 104, 62), (84, 92, 104), (186, 150, 104), (60, 92, 110))
SEATED, HOLDING = ("sit_down", "sit", "stand_up"), ("pick_up", "carry", "put_down")


def things_of(actor: Actor, skeleton: Skeleton, *, fps: float) -> list[Cones]:
    """The chair and the ball that the actor's plan needs, where the actor needs them."""
    things = []
    seated = [step for step in actor.plan if step.action in SEATED]
    if seated:
        first = seated[0]
        moment = first.start_seconds if first.action in ("sit", "stand_up") else first.end_seconds
        things.append(
            _chair(skeleton, _frame(moment, fps, skeleton), colour=_choose(CHAIR_RGB, actor.variant))
        )
    if any(step.action in HOLDING for step in actor.plan):
        things.append(_ball(actor, skeleton, fps=fps))
    return things


def standing_object(kind: str, position: tuple[float, float], rng: np.random.Generator) -> Cones:
    """A still object (one frame) on the floor at ``position`` (x, z)."""
    cones = ConeList()
    OBJECTS[kind](cones, np.array([[position[0], 0.0, position[1]]]), rng)
    return cones.build()


def _frame(seconds: float, fps: float, skeleton: Skeleton) -> int:
    return min(len(skeleton.joints["pelvis"]) - 1, max(0, round(seconds * fps)))


def _choose(colours: tuple[Colour, ...], share: float) -> Colour:
    return colours[int(share * 997) % len(colours)]


def _chair(skeleton: Skeleton, frame: int, *, colour: Colour) -> Cones:
    """A chair under the pelvis at ``frame``, standing still."""
    seat = skeleton.joints["pelvis"][frame] * (1, 0, 1)
    level = float(skeleton.joints["pelvis"][frame][1]) - 0.15
    forward = skeleton.frames["root"][frame] @ (0, 0, 1) * (1, 0, 1)
    cones = ConeList()
    seats = np.broadcast_to(seat, skeleton.joints["pelvis"].shape)
    _add_chair(cones, seats, forward / np.linalg.norm(forward), level=level, colour=colour)
    return cones.build()


def _add_chair(
    cones: ConeList, seat: np.ndarray, forward: np.ndarray, *, level: float, colour: Colour
) -> None:
    left = np.cross((0, 1, 0), forward)

    def corner(sideways: float, ahead: float, height: float) -> np.ndarray:
        return seat + sideways * left + ahead * forward + (0, height, 0)

    for ahead in (-0.18, -0.06, 0.06, 0.17):
        ends = corner(0.2, ahead, level), corner(-0.2, ahead, level)
        cones.add(*ends, radii=(0.035, 0.035), colour=colour, shadow=True)
    for side in (0.2, -0.2):
        for ahead in (-0.2, 0.18):
            ends = corner(side, ahead, level), corner(side, ahead, 0.02)
            cones.add(*ends, radii=(0.022, 0.018), colour=colour)
        ends = corner(side, -0.2, level), corner(side, -0.26, level + 0.48)
        cones.add(*ends, radii=(0.022, 0.02), colour=colour)
    for height in (0.3, 0.4, 0.48):
        ends = corner(0.2, -0.25, level + height), corner(-0.2, -0.25, level + height)
        cones.add(*ends, radii=(0.03, 0.03), colour=colour)


def _ball(actor: Actor, skeleton: Skeleton, *, fps: float) -> Cones:
    """A ball that lies on the floor and is held between the hands from the middle of pick_up to that of put_down."""
    hands = 0.5 * (skeleton.joints["hand_left"] + skeleton.joints["hand_right"])
    path, time = hands.copy(), np.arange(len(hands)) / fps
    for step in actor.plan:
        middle = 0.5 * (step.start_seconds + step.end_seconds)
        frame = _frame(middle, fps, skeleton)
        resting = hands[frame] * (1, 0, 1) + (0, BALL_RADIUS, 0)
        if step.action == "pick_up":
            path[time <= middle] = resting
        if step.action == "put_down":
            path[time >= middle] = resting
    path[:, 1] = np.maximum(path[:, 1], BALL_RADIUS)
    cones = ConeList()
    cones.add(
        path, path, radii=(BALL_RADIUS, BALL_RADIUS), colour=_choose(BALL_RGB, actor.variant), shadow=True
    )
    return cones.build()


def _by(at: np.ndarray, x: float, y: float, z: float) -> np.ndarray:
    return at + np.array([x, y, z])


def _bollard(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    colour = ((196, 60, 52), (60, 64, 72), (210, 206, 196))[int(rng.integers(3))]
    cones.add(
        at, _by(at, 0, 0.75, 0), radii=(0.1, 0.085), colour=(colour, (232, 228, 220), 0.78), shadow=True
    )


def _plant(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    cones.add(_by(at, 0, 0.1, 0), _by(at, 0, 0.3, 0), radii=(0.13, 0.17), colour=(176, 96, 64), shadow=True)
    for angle in np.linspace(0, 2 * np.pi, 9, endpoint=False) + rng.uniform(0, 1):
        bend = rng.uniform(0.12, 0.38)
        tip = _by(at, bend * np.cos(angle), rng.uniform(0.65, 1.05), bend * np.sin(angle))
        cones.add(
            _by(at, 0, 0.35, 0),
            tip,
            radii=(0.03, 0.045),
            colour=(56, 112 + 24 * rng.random(), 58),
            shadow=True,
        )


def _logs(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    colour = ((184, 140, 88), (150, 108, 70), (120, 132, 140))[int(rng.integers(3))]
    for depth in (-0.2, 0.2):
        for level in (0.07, 0.2, 0.33, 0.46):
            cones.add(
                _by(at, -0.24, level, depth),
                _by(at, 0.24, level, depth),
                radii=(0.062, 0.062),
                colour=colour,
                shadow=True,
            )


def _traffic_cone(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    orange = (232, 104 + 20 * rng.random(), 40)
    cones.add(_by(at, -0.16, 0.02, 0), _by(at, 0.16, 0.02, 0), radii=(0.05, 0.05), colour=(60, 60, 62))
    cones.add(_by(at, 0, 0.08, 0), _by(at, 0, 0.3, 0), radii=(0.14, 0.09), colour=orange, shadow=True)
    cones.add(
        _by(at, 0, 0.3, 0), _by(at, 0, 0.58, 0), radii=(0.09, 0.03), colour=((240, 238, 230), orange, 0.4)
    )


def _bench(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    wood, half = (164, 116 + 16 * rng.random(), 72), 0.62
    for depth in (-0.13, 0.0, 0.13):
        cones.add(
            _by(at, -half, 0.42, depth),
            _by(at, half, 0.42, depth),
            radii=(0.045, 0.045),
            colour=wood,
            shadow=True,
        )
    for side in (-0.5, 0.5):
        for depth in (-0.12, 0.12):
            cones.add(
                _by(at, side, 0.4, depth), _by(at, side, 0.02, depth), radii=(0.03, 0.03), colour=(70, 72, 78)
            )


def _barrel(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    colour = ((60, 104, 140), (168, 60, 50), (84, 120, 80))[int(rng.integers(3))]
    light = scaled(colour, 1.35)
    for level in (0.1, 0.28, 0.46):
        ends = _by(at, 0, level, 0), _by(at, 0, level + 0.16, 0)
        cones.add(*ends, radii=(0.215, 0.215), colour=(colour, light, 0.75), shadow=True)


def _spare_chair(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    angle = rng.uniform(-1.0, 1.0)
    colour = CHAIR_RGB[int(rng.integers(len(CHAIR_RGB)))]
    _add_chair(cones, at, np.array([np.sin(angle), 0.0, np.cos(angle)]), level=0.44, colour=colour)


def _spare_ball(cones: ConeList, at: np.ndarray, rng: np.random.Generator) -> None:
    centre = _by(at, 0, BALL_RADIUS, 0)
    colour = BALL_RGB[int(rng.integers(len(BALL_RGB)))]
    cones.add(centre, centre, radii=(BALL_RADIUS, BALL_RADIUS), colour=colour, shadow=True)


OBJECTS = {
    "bollard": _bollard,
    "plant": _plant,
    "logs": _logs,
    "traffic_cone": _traffic_cone,
    "bench": _bench,
    "barrel": _barrel,
    "chair": _spare_chair,
    "ball": _spare_ball,
}
"""Chairs and balls stand about as well, so that a chair in the picture does not give a sitting action away."""
