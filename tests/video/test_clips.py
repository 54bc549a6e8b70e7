from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.types import Sampling
from latentveil.video.clips import check_sampling, clip_starts, evenly_spaced, frames_of_clips, static_frames


def test_three_evenly_spaced_clips_of_61_frames():
    """The first frames that the reference features of lsa64 were made from."""
    assert list(clip_starts(Sampling(clips=3), 61, clip_frames=16)) == [0, 22, 45]
    assert static_frames(Sampling(static_clips=4), 61) == [0, 20, 40, 60]


def test_four_evenly_spaced_frames_are_rounded_down():
    assert static_frames(Sampling(static_clips=4), 150) == [0, 49, 99, 149]


def test_one_alone_is_central():
    assert list(clip_starts(Sampling(clips=1), 100, clip_frames=16)) == [42]
    assert static_frames(Sampling(static_clips=1), 101) == [50]


def test_all_clips_follow_each_other_by_the_stride():
    assert list(islice(clip_starts(Sampling(), 100, clip_frames=16), 4)) == [0, 16, 32, 48]
    assert list(islice(clip_starts(Sampling(), 100, clip_frames=4), 3)) == [0, 4, 8]
    assert list(islice(clip_starts(Sampling(stride_frames=8), 100, clip_frames=16), 3)) == [0, 8, 16]


def test_a_short_video_gives_each_position_once():
    assert list(clip_starts(Sampling(clips=5), 18, clip_frames=16)) == [0, 1, 2]
    assert list(clip_starts(Sampling(clips=5), 7, clip_frames=16)) == [0]
    assert static_frames(Sampling(static_clips=10), 3) == [0, 1, 2]


@given(last=st.integers(0, 10_000), number=st.integers(2, 50))
def test_positions_are_those_of_linspace(last, number):
    positions = evenly_spaced(last, number)
    exact = np.linspace(0, last, number)
    assert (positions[0], positions[-1]) == (0, last)
    # linspace may lie a hair below a whole number that it stands for
    assert positions == sorted(set(np.floor(exact + 1e-6).astype(int).tolist()))


def test_frames_of_clips_counts_shared_frames_once_and_stops_at_the_end():
    assert frames_of_clips([0, 2], [5], clip_frames=4, num_frames=100) == [0, 1, 2, 3, 4, 5]
    assert frames_of_clips([0], [], clip_frames=16, num_frames=3) == [0, 1, 2]


@pytest.mark.parametrize(
    ("sampling", "name"),
    [
        (Sampling(clips="every"), "clips"),
        (Sampling(clips=-1), "clips"),
        (Sampling(clips=0), "clips and static"),
        (Sampling(static_clips=-1), "static"),
        (Sampling(stride_frames=0), "stride_frames"),
        (Sampling(view="centre"), "view"),
        (Sampling(num_views=2), "views"),
        (Sampling(view="training", num_views=0), "views"),
    ],
)
def test_a_sampling_that_cannot_be_followed_is_refused(sampling, name):
    with pytest.raises(InputError, match=f"^{name} must"):
        check_sampling(sampling)
