"""Videos as an anonymizer of pixels rewrites them, one clip of each, with their labels: what graders look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from latentveil.extraction.inputs import VideoInput
from latentveil.files.place_files import local_file
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer, as_clip, as_pictures
from latentveil.pixels.request import VideoRequest
from latentveil.progress import OnProgress, Progress, silent
from latentveil.video.decode import open_video
from latentveil.video.views import resize


@dataclass(frozen=True)
class ClipShape:
    """``frames`` of ``size`` pixels, evenly spread over the whole video."""

    frames: int = 8
    size: int = 64


@dataclass(frozen=True, eq=False)
class GradedClips:
    """One clip of each video, ``pictures`` (V, T, S, S, 3) uint8, and the labels of these videos in the same order."""

    pictures: np.ndarray
    labels: Labels

    def rows(self, split: str) -> np.ndarray:
        """The places of the videos of one split."""
        return np.flatnonzero(self.labels.split == split)

    def clips(self, rows: np.ndarray) -> Tensor:
        """Clips (N, T, 3, S, S) in [0, 1]."""
        return torch.stack([as_clip(self.pictures[row]) for row in rows])

    def classes(self, column: str) -> np.ndarray:
        """The number (V,) of each video's class."""
        return np.unique(self.labels.column(column), return_inverse=True)[1]


def read_clips(
    videos: Sequence[VideoInput],
    labels: Labels,
    *,
    anonymizer: PixelAnonymizer | None = None,
    shape: ClipShape | None = None,
    on_progress: OnProgress = silent,
) -> GradedClips:
    """The clips of videos behind an anonymizer, or raw ones without it."""
    shape = shape or ClipShape()
    paths = {one.video: one.path for one in videos}
    known = labels.only(paths)
    pictures = []
    for number, video in enumerate(known.video.tolist(), start=1):
        with local_file(paths[video]) as here:
            pictures.append(_one_clip(here, video, anonymizer, shape))
        on_progress(Progress("reading clips", number, len(known.video)))
    return GradedClips(np.stack(pictures), known)


def _one_clip(path: Path, video: str, anonymizer: PixelAnonymizer | None, shape: ClipShape) -> np.ndarray:
    """The frames (T, S, S, 3) of one clip; what must see the whole video does, the others see the clip alone."""
    source = open_video(path)
    whole = anonymizer is not None and anonymizer.plugin.stream is not None
    stream = anonymizer.stream(source, VideoRequest(video)) if anonymizer and whole else source.frames()
    frames = [frame.rgb for frame in stream]
    places = np.linspace(0, len(frames) - 1, shape.frames).round().astype(int)
    clip = np.stack([resize(frames[place], shape.size, shape.size) for place in places])
    if anonymizer is None or whole:
        return clip
    with torch.inference_mode():
        return as_pictures(anonymizer(as_clip(clip)[None])[0])
