"""The picture of a clip is the mean of its own frames, as the encoder's view shows them."""

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.video.decode import open_video
from latentveil.video.pictures import mean_frames
from latentveil.video.views import validation_view


@pytest.mark.parametrize("clip_frames", [1, 16])
def test_every_clip_is_the_mean_of_its_frames(write_numbered, clip_frames):
    source = open_video(write_numbered(num_frames=40))
    views = np.stack([validation_view(frame.rgb, 32) for frame in source.frames()]).astype(float)
    starts = [0, 5, 16, 39]  # overlapping, and one that the end of the video cuts short
    expected = [views[start : start + clip_frames].mean(axis=0).round() for start in starts]
    found = mean_frames(source, starts, clip_frames=clip_frames, size=32)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected)


def test_a_video_that_is_too_short_for_the_store_is_refused(write_numbered):
    source = open_video(write_numbered(num_frames=20))
    with pytest.raises(InputError, match="must have a frame 32, where a clip of the store begins, got 20"):
        mean_frames(source, [0, 32], clip_frames=16, size=32)
