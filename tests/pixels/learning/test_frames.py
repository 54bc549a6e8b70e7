"""Long videos are read a clip at a time, and give the very clips of videos that are kept."""

import tracemalloc

import numpy as np
import pytest
import torch

from latentveil.errors import InputError
from latentveil.extraction.inputs import collect_videos
from latentveil.pixels.learning.feed import Pairs, make_feed
from latentveil.pixels.learning.frames import FrameCache
from latentveil.video.write import write_video
from tests.pixels.learning.conftest import settings_of

NUM_FRAMES, SIZE = 400, 64


@pytest.fixture(scope="module")
def long_video(tmp_path_factory):
    """No frame looks like one of the ten before or after it."""
    path = tmp_path_factory.mktemp("long") / "long.mp4"
    grey = (np.full((SIZE, SIZE, 3), 20 + 20 * (number % 11), np.uint8) for number in range(NUM_FRAMES))
    write_video(path, grey, fps=25)
    return collect_videos([path])


def cache_of(videos, megabytes):
    return FrameCache(videos, size=SIZE, megabytes=megabytes)


def test_frames_are_the_same_whether_kept_or_not(long_video):
    kept, not_kept = cache_of(long_video, 100), cache_of(long_video, 1)
    places = np.array([300, 7, 7, 399, 0, 302])
    assert kept.num_frames("long") == not_kept.num_frames("long") == NUM_FRAMES
    assert np.array_equal(kept.frames_at("long", places), not_kept.frames_at("long", places))
    brightness = kept.frames_at("long", places).mean(axis=(1, 2, 3))
    assert brightness == pytest.approx(20 + 20 * (places % 11), abs=4)


def test_a_video_that_cannot_be_read_is_told_with_what_to_do(tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"no video" * 20)
    with pytest.raises(InputError, match=r"broken\.mp4 must be a video file.* take its row out"):
        cache_of(collect_videos([tmp_path]), 1).num_frames("broken")


@pytest.mark.parametrize("name", ["spact", "tedspad"])
def test_steps_are_the_same_whether_videos_are_kept_or_not(training, name):
    steps = []
    for megabytes in (0, 100):
        settings = settings_of(name, f"clips.cache_megabytes={megabytes}")
        feed = make_feed(training, settings.clips, pairs=Pairs(), moments=name == "tedspad")
        steps.append(list(feed.epoch(settings.train, part=0, epoch=0)))
    for one, two in zip(*steps, strict=True):
        assert all(
            torch.equal(value, getattr(two, field)) for field, value in vars(one).items() if value is not None
        )


def test_a_long_video_is_never_in_memory_as_a_whole(long_video):
    """One hour at the papers' sizes would be 4 GB, decoded anew for every clip."""
    whole = NUM_FRAMES * SIZE * SIZE * 3
    peaks = {}
    for megabytes in (1, 100):
        cache = cache_of(long_video, megabytes)
        tracemalloc.start()
        cache.frames_at("long", np.arange(200, 208))
        peaks[megabytes] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[1] < whole / 4 < whole < peaks[100]
