"""Surveillance-like videos: two or three people walk about, and in half of them something happens for a while.

Somebody falls, or two fight, and whoever else is there stops and stands; or all run. How hard this is was tuned for I3D
at 112 pixels: four people in a wider picture, three of whom walk on as if nothing happened, were too hard even for a
linear probe that is shown which clips the event's are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latentveil.actors.description import Actor, Step, Video, View
from latentveil.actors.people import (
    SCENES,
    Outfit,
    Person,
    draw_levels,
    draw_outfits,
    secret_labels,
    split_people,
    split_sizes,
)
from latentveil.actors.sets.casting import FPS, check_num_videos, draw_hand, draw_seed
from latentveil.labels import Segment

ANOMALIES = ("fall", "fight", "run")
MIN_SECONDS, MAX_SECONDS = 10.0, 16.0
EVENT_START, EVENT_LENGTH = (0.15, 0.45), (0.35, 0.5)  # shares of the video
TURN_SECONDS = 1.3
FIGHT_GAP_METRES = 0.42
PEOPLE_PER_VIDEO = 1.5
VIEW = View(distance=8.5, height=2.8, extent=3.0, target_height=0.75, room=3.0, follow=0.0, shake=0.0)


@dataclass(frozen=True)
class Event:
    """When the anomaly happens and what it is."""

    kind: str
    start_seconds: float
    end_seconds: float


def anomaly_videos(num_videos: int = 120, seed: int = 0) -> list[Video]:
    """Describe videos of 10 to 16 seconds; ``labels["anomaly"]`` is 0 or 1, ``segments`` hold the time of the event."""
    check_num_videos(num_videos)
    rng = np.random.default_rng([seed, 3])
    people = split_people(rng, max(15, round(PEOPLE_PER_VIDEO * num_videos)))
    videos: list[Video] = []
    for split, size in split_sizes(num_videos).items():
        kinds = draw_levels(rng, 2 * len(ANOMALIES), size)
        scenes = draw_levels(rng, len(SCENES), size)
        mains = [people[split][index % len(people[split])] for index in range(size)]
        for kind, scene, main in zip(kinds, scenes, mains):
            anomaly = ANOMALIES[kind] if kind < len(ANOMALIES) else None
            others = [person for person in people[split] if person != main]
            chosen = rng.permutation(len(others))[: int(rng.integers(1, 3))]
            cast = [main, *(others[index] for index in chosen)]
            videos.append(
                _video(
                    f"anomaly-{len(videos):04d}", split, cast, anomaly=anomaly, scene=SCENES[scene], rng=rng
                )
            )
    return videos


def _video(
    name: str, split: str, cast: list[Person], *, anomaly: str | None, scene: str, rng: np.random.Generator
) -> Video:
    seconds = float(rng.uniform(MIN_SECONDS, MAX_SECONDS))
    actors = [
        _walker(rng, person, outfit, lane=lane, seconds=seconds)
        for lane, (person, outfit) in enumerate(zip(cast, draw_outfits(rng, cast)))
    ]
    segments: tuple[Segment, ...] = ()
    if anomaly is not None:
        start = float(rng.uniform(*EVENT_START)) * seconds
        event = Event(anomaly, start, start + float(rng.uniform(*EVENT_LENGTH)) * seconds)
        _EVENTS[anomaly](actors, event, seconds)
        segments = (Segment(event.start_seconds, event.end_seconds, anomaly),)
    labels = {"anomaly": str(int(anomaly is not None)), "anomaly_type": anomaly or "none"}
    return Video(
        name=name,
        split=split,
        seed=draw_seed(rng),
        fps=FPS,
        num_frames=int(seconds * FPS),
        actors=tuple(actors),
        view=VIEW,
        scene=scene,
        labels=labels | secret_labels(cast[0], actors[0].outfit, scene=scene),
        segments=segments,
    )


def _walker(rng: np.random.Generator, person: Person, outfit: Outfit, *, lane: int, seconds: float) -> Actor:
    """Somebody who walks to and fro on a lane of their own, from left to right or the other way."""
    leg = float(rng.uniform(1.5, 2.1))
    heading = float(rng.choice([-1.0, 1.0]) * (np.pi / 2 + rng.uniform(-0.25, 0.25)))
    first = float(rng.uniform(0.4, 1.0)) * leg
    return Actor(
        person,
        outfit,
        _to_and_fro(0.0, seconds, leg=leg, first=first),
        heading=heading,
        anchor=(float(rng.uniform(-0.4, 0.4)), 0.6 - 0.75 * lane + float(rng.uniform(-0.15, 0.15))),
        anchor_seconds=max(0.0, first - leg / 2),
        hand=draw_hand(rng),
        variant=float(rng.random()),
    )


def _to_and_fro(start: float, end: float, *, leg: float, first: float) -> tuple[Step, ...]:
    """Walk, turn around, walk … from ``start`` until ``end``; the first leg lasts ``first`` seconds."""
    steps, time, length = [], start, first
    while time < end - 0.5:
        steps.append(Step("walk", time, time + length))
        steps.append(Step("turn_around", time + length, time + length + TURN_SECONDS))
        time, length = time + length + TURN_SECONDS, leg
    return tuple(steps)


def _interrupt(actor: Actor, event: Event, actions: tuple[Step, ...], seconds: float) -> Actor:
    """The actor with ``actions`` in place of the walk during the event; the last walk before it is prolonged to it."""
    before = [
        step for step in actor.plan if step.start_seconds < event.start_seconds and step.action == "walk"
    ]
    last = before[-1].start_seconds
    kept = tuple(step for step in actor.plan if step.start_seconds < last)
    walk = Step("walk", last, event.start_seconds)
    after = _to_and_fro(event.end_seconds, seconds, leg=1.8, first=1.0)
    return replace(actor, plan=(*kept, walk, *actions, *after))


def _fall(actors: list[Actor], event: Event, seconds: float) -> None:
    """The first falls, lies and gets up; the others stop."""
    down, up = event.start_seconds + 1.6, event.end_seconds - 1.6
    steps = (
        Step("fall", event.start_seconds, down),
        Step("lie", down, up),
        Step("get_up", up, event.end_seconds),
    )
    actor = _interrupt(actors[0], event, steps, seconds)
    direction = float(np.sign(actor.heading))
    actors[0] = _meet(actor, event, heading=direction * np.pi / 2, place=(-0.5 * direction, actor.anchor[1]))
    actors[1:] = [_stop(other, event, seconds) for other in actors[1:]]


def _run(actors: list[Actor], event: Event, seconds: float) -> None:
    """All run in circles, each on a lane of their own."""
    duration = event.end_seconds - event.start_seconds
    rounds = max(1, round(duration / 2.4))
    for index, runner in enumerate(actors):
        side = 1.0 if index % 2 == 0 else -1.0
        steps = (Step("run", event.start_seconds, event.end_seconds, side * rounds * 2 * np.pi / duration),)
        actor = _interrupt(runner, event, steps, seconds)
        # Heading to the picture's right, a turn to the left leads away from the camera, as does one to the right
        # for who heads to the left.
        actors[index] = _meet(actor, event, heading=side * np.pi / 2, place=(0.0, 0.7 - 0.35 * index))


def _fight(actors: list[Actor], event: Event, seconds: float) -> None:
    """The first two meet in the middle, face each other, and hit out in turn; a third stops."""
    meeting = 0.5 * (np.asarray(actors[0].anchor) + np.asarray(actors[1].anchor)) * (0.5, 1.0)
    blows = np.linspace(event.start_seconds, event.end_seconds, 5)
    for index, sign in ((0, -1.0), (1, 1.0)):
        kinds = ("punch", "kick", "punch", "punch") if index == 0 else ("punch", "punch", "kick", "punch")
        steps = tuple(Step(kind, float(low), float(high)) for kind, low, high in zip(kinds, blows, blows[1:]))
        actor = _interrupt(actors[index], event, steps, seconds)
        place = (float(meeting[0]) + sign * FIGHT_GAP_METRES, float(meeting[1]))
        actors[index] = _meet(actor, event, heading=-sign * np.pi / 2, place=place)
    actors[2:] = [_stop(other, event, seconds) for other in actors[2:]]


def _stop(actor: Actor, event: Event, seconds: float) -> Actor:
    """The actor who stands still while the event lasts."""
    return _interrupt(actor, event, (Step("stand", event.start_seconds, event.end_seconds),), seconds)


def _meet(actor: Actor, event: Event, *, heading: float, place: tuple[float, float]) -> Actor:
    """The actor moved and turned so as to be at ``place`` and look along ``heading`` when the event begins."""
    turns = sum(
        step.action == "turn_around" for step in actor.plan if step.start_seconds < event.start_seconds
    )
    start = heading + turns * np.pi
    return replace(actor, heading=start, anchor=place, anchor_seconds=event.start_seconds)


_EVENTS = {"fall": _fall, "fight": _fight, "run": _run}
