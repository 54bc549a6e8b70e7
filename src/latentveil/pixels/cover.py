"""People or faces covered: found by a detector, followed through the video, then blackened or blurred."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import interpolate

from latentveil import config
from latentveil.config import Section
from latentveil.pixels.anonymizer import as_clip, as_pictures
from latentveil.pixels.base import PixelMethod, fit_nothing
from latentveil.pixels.blur import gaussian_blur
from latentveil.pixels.detectors.base import DETECTORS, Find
from latentveil.pixels.doubts import Doubts
from latentveil.pixels.network import PixelNetwork
from latentveil.pixels.request import VideoRequest
from latentveil.pixels.tracking import Following, follow, single_frames
from latentveil.video.boxes import FILLED, Boxes, grow
from latentveil.video.frames import Frame, FrameSource

# The standard deviation of the blur, as a share of the box's long side.
SIGMAS = {"weak": 0.05, "strong": 0.25}
SMALL_SIGMA = 4.0  # a wider blur is done on a smaller picture


class CoverOptions(Section):
    """What is covered and how.

    ``detector`` finds boxes (`pixels/detectors/`), ``detector_options`` are its own; ``look`` is black, or a weak or
    strong blur. Boxes grow by ``margin`` of their size on every side, by twice that where they were filled in. With
    ``tracking``, up to ``gap_frames`` frames without a box are filled, and ``tail_frames`` are added at both ends of a
    track. ``sure`` and ``unsure`` are the scores that begin and continue a track; None: the detector's own.
    """

    detector: str = "centerface"
    detector_options: dict[str, Any] = Field(default_factory=dict)
    look: Literal["black", "weak", "strong"] = "black"
    margin: float = Field(0.35, ge=0)
    tracking: bool = True
    gap_frames: int = Field(25, ge=0)
    tail_frames: int = Field(10, ge=0)
    sure: float | None = Field(None, ge=0, le=1)
    unsure: float | None = Field(None, ge=0, le=1)


class CoverSettings(config.Settings, CoverOptions):
    """The options, and what every method takes."""


class Cover(nn.Module):
    """Covers what its detector finds. It has no weights; the detector is loaded when it is first needed."""

    def __init__(self, options: CoverOptions) -> None:
        super().__init__()
        self.options = options
        self.detector = DETECTORS.get(options.detector)

    @cached_property
    def find(self) -> Find:
        """The detector, loaded."""
        return self.detector.start(self.options.detector_options)

    @property
    def sure(self) -> float:
        """The score from which on a box is no matter of doubt."""
        return self.detector.sure if self.options.sure is None else self.options.sure

    def follow(self, frames: Iterator[Frame], *, video: str = "") -> Boxes:
        """The boxes of all frames, gaps filled."""
        chosen, detector = self.options, self.detector
        following = Following(
            sure=self.sure,
            unsure=detector.unsure if chosen.unsure is None else chosen.unsure,
            gap_frames=chosen.gap_frames,
            tail_frames=chosen.tail_frames,
        )
        found = (
            detector.require_boxes(self.find(frame.rgb, video=video, frame=frame.index)) for frame in frames
        )
        join = follow if chosen.tracking else single_frames
        return join(found, following, label=detector.finds)

    def paint(self, rgb: np.ndarray, boxes: Boxes) -> np.ndarray:
        """A frame (H, W, 3) with these boxes covered, grown by the margin.

        What lies in several boxes is blurred by each: a small box must not bring back what a large one has hidden.
        """
        margin = np.where(boxes.score == FILLED, 2, 1)[:, None] * self.options.margin
        painted = rgb.copy()
        height, width = rgb.shape[:2]
        for left, top, right, bottom in grow(boxes.corners, margin):
            rows = slice(max(0, math.floor(top)), min(height, math.ceil(bottom)))
            columns = slice(max(0, math.floor(left)), min(width, math.ceil(right)))
            if rows.start < rows.stop and columns.start < columns.stop:
                painted[rows, columns] = self._covered(painted[rows, columns])
        return painted

    def _covered(self, region: np.ndarray) -> np.ndarray | int:
        """What is put in the place of a region (h, w, 3)."""
        if self.options.look == "black":
            return 0
        sigma = SIGMAS[self.options.look] * max(region.shape[:2])
        shrink = max(1.0, sigma / SMALL_SIGMA)
        picture = as_clip(np.ascontiguousarray(region)[None])
        small = [max(1, round(side / shrink)) for side in region.shape[:2]]
        blurred = gaussian_blur(interpolate(picture, size=small, mode="area"), sigma=sigma / shrink)
        grown = interpolate(blurred, size=region.shape[:2], mode="bilinear")
        return as_pictures(grown)[0]

    def forward(self, clips: Tensor) -> Tensor:
        """Clips (B, T, C, H, W), each followed on its own."""
        return torch.stack([self._clip(clip) for clip in clips])

    def _clip(self, clip: Tensor) -> Tensor:
        frames = [Frame(index, 0.0, rgb) for index, rgb in enumerate(as_pictures(clip))]
        boxes = self.follow(iter(frames))
        painted = np.stack([self.paint(frame.rgb, boxes.at(frame.index)) for frame in frames])
        changed = (painted != np.stack([frame.rgb for frame in frames])).any(axis=-1)  # (T, H, W)
        mask = torch.from_numpy(changed)[:, None].to(clip.device)
        return torch.where(mask, as_clip(painted).to(clip), clip)


def stream(module: Cover, source: FrameSource, request: VideoRequest) -> Iterator[Frame]:
    """All frames of a video, covered: a first pass finds the boxes, which is all that stays of it, a second paints."""
    boxes = request.boxes
    if boxes is None:
        boxes = module.follow(source.frames(), video=request.video)
    if request.on_boxes is not None:
        request.on_boxes(boxes)
    doubts = Doubts(request, sure=module.sure)
    for frame in request.frames_of(source):
        here = boxes.at(frame.index)
        if request.covers(frame):
            frame = replace(frame, rgb=module.paint(frame.rgb, here))
            doubts.look(frame, here)
        yield frame


def describe(options: CoverOptions) -> str:
    """For the privacy card."""
    look = options.look if options.look == "black" else f"{options.look} blur"
    how = "followed through the video" if options.tracking else "frame by frame"
    return f"what the detector {options.detector} finds, {how}, under {look}"


pixel_network = PixelNetwork(
    name="cover",
    build=Cover,
    describe=describe,
    about="Regions that a detector finds, blackened or blurred.",
    Options=CoverOptions,
    stream=stream,
    prepare=lambda module: module.find,
    has_boxes=True,
)
pixel_method = PixelMethod(
    name="cover",
    fit=fit_nothing(pixel_network),
    about="Covers the people or faces that a detector finds, black or blurred.",
    Settings=CoverSettings,
    presets={look: (f"look={look}",) for look in ("black", "weak", "strong")},
)
