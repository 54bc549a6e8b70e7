"""What the data sets share: who appears in which video, from where it is filmed, and how its labels are laid out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.actors.description import View
from latentveil.actors.people import (
    SCENES,
    Outfit,
    Person,
    draw_levels,
    draw_outfits,
    split_people,
    split_sizes,
)
from latentveil.errors import UsageError

FPS = 16.0
MIN_VIDEOS = 3


@dataclass(frozen=True)
class Role:
    """One appearance of a person, in an outfit and a scene of its own."""

    split: str
    person: Person
    outfit: Outfit
    scene: str


def check_num_videos(num_videos: int) -> None:
    if num_videos < MIN_VIDEOS:
        raise UsageError(f"videos must be at least {MIN_VIDEOS}, one per split, got {num_videos}.")


def cast_roles(rng: np.random.Generator, num_videos: int, *, videos_per_person: int) -> Iterator[Role]:
    """Yield one role for every video; people are disjoint between the splits."""
    check_num_videos(num_videos)
    people = split_people(rng, max(MIN_VIDEOS, round(num_videos / videos_per_person)))
    for split, size in split_sizes(num_videos).items():
        group = people[split][:size]
        yield from _roles_of_split(rng, split, group, size=size)


def _roles_of_split(rng: np.random.Generator, split: str, group: list[Person], *, size: int) -> list[Role]:
    cast = [group[index % len(group)] for index in range(size)]
    outfits = draw_outfits(rng, cast)
    scenes = draw_levels(rng, len(SCENES), size)
    return [
        Role(split, person, outfit, SCENES[scene]) for person, outfit, scene in zip(cast, outfits, scenes)
    ]


def draw_view(rng: np.random.Generator, **fixed: float) -> View:
    """A hand-held camera a few metres away, with some settings fixed."""
    drawn = {
        "distance": float(rng.uniform(6.0, 8.5)),
        "height": float(rng.uniform(1.2, 2.3)),
        "extent": float(rng.uniform(2.05, 2.35)),
        "target_height": float(rng.uniform(0.88, 0.98)),
        "follow": 0.92,
        "shake": float(rng.uniform(0.001, 0.006)),
    }
    return View(**(drawn | fixed))


def draw_heading(rng: np.random.Generator, *, low: float = 0.15, high: float = 1.25) -> float:
    """A direction that shows the face, turned to the left or the right by ``low`` to ``high`` radians."""
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(low, high))


def draw_hand(rng: np.random.Generator) -> str:
    return str(rng.choice(["left", "right"], p=[0.25, 0.75]))


def draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
