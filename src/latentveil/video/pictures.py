"""The picture that a clip leaves behind: the mean of its frames, small and square."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.errors import InputError
from latentveil.video.frames import FrameSource
from latentveil.video.views import validation_view


def mean_frames(source: FrameSource, starts: Sequence[int], *, clip_frames: int, size: int) -> np.ndarray:
    """The mean frame of each clip that begins at one of ``starts`` (N,), as (N, size, size, 3) uint8.

    Frames are seen in the validation view. A clip that would reach beyond the last frame ends there; with
    ``clip_frames`` 1 the picture is the frame itself.
    """
    num_frames = source.num_frames
    if max(starts) >= num_frames:
        raise InputError(
            f"{source.path} must have a frame {max(starts)}, where a clip of the store begins, got {num_frames} "
            "frames. Give the videos that the store was made from."
        )
    clips = [range(start, min(start + clip_frames, num_frames)) for start in starts]
    sums = np.zeros((len(clips), size, size, 3))
    counts = np.zeros(len(clips), dtype=int)
    for frame in source.frames_at(sorted({index for clip in clips for index in clip})):
        members = [number for number, clip in enumerate(clips) if frame.index in clip]
        sums[members] += validation_view(frame.rgb, size)
        counts[members] += 1
    return (sums / counts[:, None, None, None]).round().astype(np.uint8)
