"""Trimmed clips for action recognition: two seconds, one person, one action."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from latentveil.actors.description import Actor, Step, Video
from latentveil.actors.motion.motions import ACTIONS
from latentveil.actors.people import secret_labels
from latentveil.actors.sets.casting import (
    FPS,
    Role,
    cast_roles,
    draw_hand,
    draw_heading,
    draw_seed,
    draw_view,
)

NUM_FRAMES = 32
VIDEOS_PER_PERSON = 4
OCCLUDED_SHARE = 0.25


def action_videos(num_videos: int = 240, seed: int = 0) -> list[Video]:
    """Describe trimmed clips; each person performs about four different actions, each action is equally frequent."""
    rng = np.random.default_rng([seed, 1])
    by_person: dict[str, Counter[str]] = defaultdict(Counter)
    by_split: dict[str, Counter[str]] = defaultdict(Counter)
    videos: list[Video] = []
    for role in cast_roles(rng, num_videos, videos_per_person=VIDEOS_PER_PERSON):
        own, in_split = by_person[role.person.name], by_split[role.split]
        action = _rarest_action(rng, own, in_split)
        own[action] += 1
        in_split[action] += 1
        videos.append(trimmed_video(f"action-{len(videos):04d}", role, action, rng=rng))
    return videos


def _rarest_action(rng: np.random.Generator, own: Counter[str], in_split: Counter[str]) -> str:
    """An action that the person has done least, among those one that is rarest in the split, ties at random."""
    return min(rng.permutation(list(ACTIONS)).tolist(), key=lambda action: (own[action], in_split[action]))


def trimmed_video(name: str, role: Role, action: str, *, rng: np.random.Generator) -> Video:
    """One person who does one thing, filmed from a random side by a camera that follows."""
    duration = NUM_FRAMES / FPS
    step = Step(action, float(rng.uniform(0.0, 0.15)), duration - float(rng.uniform(0.0, 0.25)))
    actor = Actor(
        role.person,
        role.outfit,
        (step,),
        heading=draw_heading(rng),
        anchor=(float(rng.uniform(-0.12, 0.12)), 0.0),
        anchor_seconds=duration / 2,
        hand=draw_hand(rng),
        variant=float(rng.random()),
    )
    return Video(
        name=name,
        split=role.split,
        seed=draw_seed(rng),
        fps=FPS,
        num_frames=NUM_FRAMES,
        actors=(actor,),
        view=draw_view(rng),
        scene=role.scene,
        labels={"action": action} | secret_labels(role.person, role.outfit, scene=role.scene),
        occluded=bool(rng.random() < OCCLUDED_SHARE),
    )
