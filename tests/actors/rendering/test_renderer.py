"""The renderer: the same seed gives the same bytes, and what the labels say is in the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from latentveil.actors.people import SCENES
from latentveil.actors.rendering.renderer import render
from latentveil.actors.sets.action import action_videos
from latentveil.actors.sets.anomaly import anomaly_videos
from latentveil.actors.sets.detection import detection_videos
from latentveil.errors import InputError


@pytest.fixture(scope="module")
def videos():
    return action_videos(8, seed=11)


def test_the_same_seed_gives_the_same_frames(videos):
    again = action_videos(8, seed=11)
    assert again == videos
    for first, second in zip(videos[:3], again[:3]):
        np.testing.assert_array_equal(render(first, 48), render(second, 48))


def test_another_seed_gives_other_videos(videos):
    assert action_videos(8, seed=12) != videos
    other = replace(videos[0], seed=videos[0].seed + 1)
    assert (render(other, 32, frames=[0]) != render(videos[0], 32, frames=[0])).mean() > 0.5


def test_frames_are_uint8_pictures_that_move(videos):
    for video in videos[:3]:
        frames = render(video, 40)
        assert frames.dtype == np.uint8
        assert frames.shape == (32, 40, 40, 3)
        assert frames.std() > 15
        calm = np.abs(frames[1].astype(int) - frames[0]).mean()
        assert np.abs(frames[16].astype(int) - frames[0]).mean() > calm


def test_single_frames_equal_those_of_the_whole_video(videos):
    whole = render(videos[1], 48)
    np.testing.assert_array_equal(render(videos[1], 48, frames=[30, 3, 17]), whole[[30, 3, 17]])


def test_clothes_and_skin_are_visible(videos):
    """Changing one attribute changes the picture where it is worn, and nowhere near everywhere."""
    actor = videos[0].actors[0]
    for change in ({"upper": (actor.outfit.upper + 1) % 8}, {"lower": (actor.outfit.lower + 3) % 8}):
        changed = replace(actor, outfit=replace(actor.outfit, **change))
        before, after = (
            render(replace(videos[0], actors=(who,)), 64, frames=[10])[0] for who in (actor, changed)
        )
        share = (before != after).any(axis=-1).mean()
        assert 0.005 < share < 0.25
    for change in ({"skin": (actor.person.skin + 3) % 6}, {"glasses": 1 - actor.person.glasses}):
        changed = replace(actor, person=replace(actor.person, **change))
        video = replace(videos[0], actors=(replace(actor, heading=0.2),), occluded=False)
        turned = replace(video, actors=(replace(changed, heading=0.2),))
        before, after = (render(one, 112, frames=[0])[0] for one in (video, turned))
        assert 0.0003 < (before != after).any(axis=-1).mean() < 0.25


def test_scenes_look_different():
    (video,) = action_videos(3)[:1]
    pictures = [render(replace(video, scene=scene), 32, frames=[0])[0].astype(float) for scene in SCENES]
    for index, picture in enumerate(pictures):
        for other in pictures[:index]:
            assert np.abs(picture - other).mean() > 8


def test_an_object_in_front_hides_a_part(videos):
    free, hidden = (
        render(replace(videos[2], occluded=occluded), 64, frames=[5])[0] for occluded in (False, True)
    )
    assert 0.01 < (free != hidden).any(axis=-1).mean() < 0.5


def test_the_picture_follows_a_runner():
    video = next(video for video in action_videos(64) if video.labels["action"] == "run")
    frames = render(replace(video, occluded=False), 48)
    without = replace(
        video, actors=(replace(video.actors[0], anchor=(500.0, 0.0)),), view=replace(video.view, follow=0)
    )
    assert (render(without, 48) != frames).any()
    centre = frames[:, 8:40, 12:36].astype(int)
    assert np.abs(np.diff(centre, axis=0)).mean() > 4


def test_long_videos_render_too():
    for video in (anomaly_videos(6)[0], detection_videos(3)[0]):
        frames = render(video, 32, frames=range(0, video.num_frames, 40))
        assert frames.std(axis=0).max() > 10


def test_wrong_sizes_and_frames_are_refused(videos):
    with pytest.raises(InputError, match="size must be from 16 to 2048"):
        render(videos[0], 8)
    with pytest.raises(InputError, match="frames must be indices from 0 to 31"):
        render(videos[0], 32, frames=[32])
