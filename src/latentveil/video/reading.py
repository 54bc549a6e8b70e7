"""From a file to its clips at an encoder's frame size, streamed so that an hour of video needs no more memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from latentveil.types import STATIC, TEMPORAL, Sampling
from latentveil.video.clips import ALL_CLIPS, clip_starts, frames_of_clips, static_frames
from latentveil.video.frames import Frame, FrameSource
from latentveil.video.views import (
    STATIC_SCALE,
    TEMPORAL_SCALE,
    clip_generator,
    random_crop,
    training_view,
    validation_view,
)

View = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ClipFormat:
    """How clips are cut: which ones, how many frames each, and how large."""

    sampling: Sampling
    clip_frames: int
    frame_size: int


@dataclass(frozen=True)
class ClipPlace:
    """Where a clip lies: a row of the store without its feature. ``clip`` counts the clips of one kind and view."""

    kind: str
    clip: int
    start_frame: int
    time: float
    view: str


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip in one view: frames (S, S, 3) uint8; a static clip holds its frame once and is tiled when encoded."""

    place: ClipPlace
    frames: list[np.ndarray] = field(default_factory=list)

    def stacked(self, clip_frames: int) -> np.ndarray:
        """The frames as one array (clip_frames, S, S, 3), the last one repeated where there are fewer."""
        missing = clip_frames - len(self.frames)
        return np.stack(self.frames + self.frames[-1:] * missing)


def read_clips(source: FrameSource, video: str, *, clip_format: ClipFormat) -> Iterator[Clip]:
    """The clips of one file, each as soon as it is decoded; a still image gives one static clip per view."""
    sampling, clip_frames = clip_format.sampling, clip_format.clip_frames
    if source.is_image:
        yield from _assemble(source.frames(), iter(()), [0], video=video, clip_format=clip_format)
        return
    num_frames = source.num_frames if sampling.clips != ALL_CLIPS or sampling.static_clips else 0
    singles = static_frames(sampling, num_frames) if sampling.static_clips else []
    starts = clip_starts(sampling, num_frames, clip_frames=clip_frames)
    if sampling.clips == ALL_CLIPS:
        frames = source.frames()
    else:
        positions = list(starts)
        needed = frames_of_clips(positions, singles, clip_frames=clip_frames, num_frames=num_frames)
        frames, starts = source.frames_at(needed), iter(positions)
    yield from _assemble(frames, starts, singles, video=video, clip_format=clip_format)


def _assemble(
    frames: Iterator[Frame], starts: Iterator[int], singles: list[int], *, video: str, clip_format: ClipFormat
) -> Iterator[Clip]:
    """Cut frames, which come in order, into the temporal clips at ``starts`` and the static clips at ``singles``."""
    next_start, num_started, num_static = next(starts, None), 0, 0
    growing: list[tuple[Clip, View]] = []
    for frame in frames:
        if num_static < len(singles) and frame.index == singles[num_static]:
            for clip, view in _start_clips(STATIC, num_static, frame, video=video, clip_format=clip_format):
                clip.frames.append(view(frame.rgb))
                yield clip
            num_static += 1
        if frame.index == next_start:
            growing += _start_clips(TEMPORAL, num_started, frame, video=video, clip_format=clip_format)
            next_start, num_started = next(starts, None), num_started + 1
        seen: dict[View, np.ndarray] = {}  # clips that overlap share their view of a frame
        for clip, view in growing:
            if view not in seen:
                seen[view] = view(frame.rgb)
            clip.frames.append(seen[view])
        yield from (clip for clip, _ in growing if len(clip.frames) == clip_format.clip_frames)
        growing = [(clip, view) for clip, view in growing if len(clip.frames) < clip_format.clip_frames]
    yield from (clip for clip, _ in growing if clip.place.clip == 0)


def _start_clips(
    kind: str, number: int, frame: Frame, *, video: str, clip_format: ClipFormat
) -> list[tuple[Clip, View]]:
    """The empty clips that begin at ``frame``, one per view, each with the function that gives its view of a frame."""
    size, sampling = clip_format.frame_size, clip_format.sampling
    place = partial(ClipPlace, kind, number, frame.index, frame.time)
    if sampling.view == "validation":
        return [(Clip(place("validation")), _validation_view(size))]
    started: list[tuple[Clip, View]] = []
    for view in (f"training-{index}" for index in range(sampling.num_views)):
        rng = clip_generator(clip_format.sampling.seed, video, kind, frame.index, view)
        scale = STATIC_SCALE if kind == STATIC else TEMPORAL_SCALE
        crop = random_crop(*frame.rgb.shape[:2], rng=rng, scale=scale)
        started.append((Clip(place(view)), partial(training_view, size=size, crop=crop)))
    return started


@cache
def _validation_view(size: int) -> View:
    """One function for all clips, so that what it gives for a frame can be shared."""
    return partial(validation_view, size=size)
