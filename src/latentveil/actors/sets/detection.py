"""Untrimmed videos for temporal detection: one person, several actions, standing and walking in between."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Actor, Step, Video
from latentveil.actors.motion.motions import ACTIONS
from latentveil.actors.people import secret_labels
from latentveil.actors.sets.casting import FPS, cast_roles, draw_hand, draw_heading, draw_seed, draw_view
from latentveil.labels import Segment

MIN_SECONDS, MAX_SECONDS = 18.0, 30.0
VIDEOS_PER_PERSON = 3

# What has to be done together: an action, what follows it unlabelled, and the action that undoes it.
SCENES_OF_SEVERAL = {
    "sit_down": ("sit_down", "sit", "stand_up"),
    "pick_up": ("pick_up", "carry", "put_down"),
    "fall": ("fall", "lie", "get_up"),
}
# Walking is what happens between the actions, and one who turned around would go on with the back to the camera.
NOT_DETECTED = ("walk", "turn_around", "stand_up", "put_down")
ACTS = tuple(action for action in ACTIONS if action not in NOT_DETECTED)
DETECTED_ACTIONS = tuple(action for action in ACTIONS if action not in ("walk", "turn_around"))
LONG_ACTIONS = ("wave", "clap", "punch", "kick", "jump", "squat")


def detection_videos(num_videos: int = 80, seed: int = 0) -> list[Video]:
    """Describe untrimmed videos of 18 to 30 seconds whose ``segments`` say when which action happens."""
    rng = np.random.default_rng([seed, 2])
    videos: list[Video] = []
    for role in cast_roles(rng, num_videos, videos_per_person=VIDEOS_PER_PERSON):
        plan = draw_plan(rng, seconds=float(rng.uniform(MIN_SECONDS, MAX_SECONDS)))
        actor = Actor(
            role.person,
            role.outfit,
            plan,
            heading=draw_heading(rng, high=0.9),
            anchor=(float(rng.uniform(-0.3, 0.3)), 0.0),
            hand=draw_hand(rng),
            variant=float(rng.random()),
        )
        segments = tuple(
            Segment(step.start_seconds, step.end_seconds, step.action)
            for step in plan
            if step.action in DETECTED_ACTIONS
        )
        videos.append(
            Video(
                name=f"detection-{len(videos):04d}",
                split=role.split,
                seed=draw_seed(rng),
                fps=FPS,
                num_frames=int(plan[-1].end_seconds * FPS),
                actors=(actor,),
                view=draw_view(rng, extent=3.2, follow=0.0, room=1.0),
                scene=role.scene,
                labels={"detection": "1"} | secret_labels(role.person, role.outfit, scene=role.scene),
                segments=segments,
            )
        )
    return videos


def draw_plan(rng: np.random.Generator, *, seconds: float) -> tuple[Step, ...]:
    """Acts in random order, none twice, with a pause before each and after the last, about ``seconds`` long."""
    steps: list[Step] = []
    time = _add_pause(steps, rng, 0.0)
    for act in rng.permutation(list(ACTS)):
        if time > seconds - 4.0:
            break
        for action in SCENES_OF_SEVERAL.get(str(act), (str(act),)):
            time = _add(steps, rng, action, time)
        time = _add_pause(steps, rng, time)
    return tuple(steps)


def _add_pause(steps: list[Step], rng: np.random.Generator, time: float) -> float:
    """Stand for a while, or walk a round."""
    return _add(steps, rng, "walk" if rng.random() < 0.5 else "stand", time)


def _add(steps: list[Step], rng: np.random.Generator, action: str, time: float) -> float:
    """Append one step and return its end; who walks or runs comes back to the start in a full circle."""
    if action in ("walk", "run"):
        low, high = (3.2, 4.2) if action == "walk" else (1.9, 2.4)
    elif action in LONG_ACTIONS:
        low, high = 2.0, 5.5
    else:
        low, high = 1.6, 2.8
    duration = float(rng.uniform(low, high))
    round_trip = float(rng.choice([-1.0, 1.0]) * 2 * np.pi / duration) if action in ("walk", "run") else 0.0
    steps.append(Step(action, time, time + duration, round_trip))
    return time + duration
