"""True boxes: what changes with a person's looks lies in the box, and the box is no larger than need be."""

from dataclasses import replace

import numpy as np

from latentveil.actors.rendering.boxes import boxes_of
from latentveil.actors.rendering.renderer import render
from latentveil.actors.sets.tasks import describe

SIZE, FRAME = 128, 10


def changed_by(video, **looks):
    """The box of the pixels that other looks of the first actor change."""
    actor = video.actors[0]
    other = replace(video, actors=(replace(actor, person=replace(actor.person, **looks)), *video.actors[1:]))
    before, after = (render(one, SIZE, frames=[FRAME])[0].astype(int) for one in (video, other))
    rows, columns = np.nonzero(np.abs(before - after).max(axis=-1) > 8)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])


def test_hair_is_in_the_head_and_the_head_in_the_person():
    checked = 0
    for video in describe("action", num_videos=8, seed=2):
        person = video.actors[0].person
        here = boxes_of(video, SIZE).at(FRAME)
        boxes = {str(label): box for label, box in zip(here.label, here.corners)}
        hair = changed_by(video, hair=(person.hair + 1) % 3)
        head = boxes["head"]
        assert (hair[:2] >= head[:2] - 1).all()
        assert (hair[2:] <= head[2:] + 1).all()
        assert (head[2:] - head[:2] < 0.35 * SIZE).all()
        assert (head[:2] >= boxes["person"][:2] - 1).all()
        assert (head[2:] <= boxes["person"][2:] + 1).all()
        if "face" in boxes:
            checked += 1
            assert (boxes["face"][:2] >= head[:2] - 1).all()
            assert (boxes["face"][2:] <= head[2:] + 1).all()
    assert 0 < checked < 8  # some look away
