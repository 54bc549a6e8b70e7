"""Walking sequences for gait recognition, laid out as CASIA-B: person, condition, repetition, view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latentveil.actors.description import Actor, Step, Video
from latentveil.actors.people import (
    CLOTHING_COLOURS,
    SCENES,
    Outfit,
    Person,
    draw_outfits,
    draw_people,
    secret_labels,
)
from latentveil.actors.sets.casting import FPS, check_num_videos, draw_seed, draw_view

NUM_FRAMES = 48
VIEWS_DEGREES = (36, 90, 144)
SEQUENCES = (*(("nm", index) for index in range(1, 7)), ("bg", 1), ("bg", 2), ("cl", 1), ("cl", 2))
NUM_GALLERY = 4


def gait_videos(num_videos: int = 600, seed: int = 0) -> list[Video]:
    """Describe walks named person-condition-repetition-view (nm normal, bg with a bag, cl in a coat).

    Identity is the secret here, so everybody is in both sets: normal walks 1 to 4 are the gallery (split train), all
    others the probes (split test). Each person has 30 videos; the last may have fewer.
    """
    check_num_videos(num_videos)
    rng = np.random.default_rng([seed, 4])
    per_person = len(SEQUENCES) * len(VIEWS_DEGREES)
    people = draw_people(rng, -(-num_videos // per_person))
    videos = []
    for person, outfit in zip(people, draw_outfits(rng, people)):
        coat = replace(outfit, coat=True, upper=int(rng.integers(len(CLOTHING_COLOURS))))
        for condition, repetition in SEQUENCES:
            worn = {"nm": outfit, "bg": replace(outfit, bag=True), "cl": coat}[condition]
            for degrees in VIEWS_DEGREES:
                videos.append(_walk(person, worn, (condition, repetition), degrees=degrees, rng=rng))
    return videos[:num_videos]


def _walk(
    person: Person, outfit: Outfit, sequence: tuple[str, int], *, degrees: int, rng: np.random.Generator
) -> Video:
    condition, repetition = sequence
    duration = NUM_FRAMES / FPS
    scene = SCENES[int(rng.integers(len(SCENES)))]
    tempo = person.style.tempo * float(rng.uniform(0.97, 1.03))
    actor = Actor(
        replace(person, style=replace(person.style, tempo=tempo)),
        outfit,
        (Step("walk", 0.0, duration),),
        heading=float(np.deg2rad(degrees + rng.uniform(-3, 3))),
        anchor_seconds=duration / 2,
        variant=float(rng.random()),
    )
    in_gallery = condition == "nm" and repetition <= NUM_GALLERY
    labels = {
        "condition": condition,
        "repetition": str(repetition),
        "view": str(degrees),
        "gait_set": "gallery" if in_gallery else "probe",
    }
    return Video(
        name=f"{person.name}-{condition}-{repetition:02d}-{degrees:03d}",
        split="train" if in_gallery else "test",
        seed=draw_seed(rng),
        fps=FPS,
        num_frames=NUM_FRAMES,
        actors=(actor,),
        view=draw_view(rng, distance=8.0, height=1.5),
        scene=scene,
        labels=labels | secret_labels(person, outfit, scene=scene),
    )
