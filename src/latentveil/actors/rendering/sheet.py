"""The contact sheet: a picture of what a data set looks like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from latentveil.actors.description import Video
from latentveil.actors.rendering.renderer import render

FRAME, FRAMES_PER_STRIP, COLUMNS, MAX_STRIPS = 144, 5, 2, 16
GAP, MARGIN, CAPTION, TITLE = 4, 36, 26, 64
PAPER, INK, SOFT_INK = (250, 248, 244), (38, 36, 40), (128, 122, 118)


def contact_sheet(videos: Sequence[Video], *, title: str) -> np.ndarray:
    """RGB (H, W, 3): strips of frames of up to 16 videos, as different as can be, each with its caption."""
    strips = _strips(videos)
    rows = -(-len(strips) // COLUMNS)
    strip_width = FRAMES_PER_STRIP * (FRAME + GAP) - GAP
    width = COLUMNS * (strip_width + MARGIN) + MARGIN
    height = TITLE + rows * (FRAME + CAPTION) + MARGIN + rows * GAP
    sheet = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN, 22), title, fill=INK, font=ImageFont.load_default(22))
    for index, (caption, frames) in enumerate(strips):
        left = MARGIN + index % COLUMNS * (strip_width + MARGIN)
        top = TITLE + index // COLUMNS * (FRAME + CAPTION + GAP)
        for place, frame in enumerate(frames):
            sheet.paste(Image.fromarray(frame), (left + place * (FRAME + GAP), top))
        draw.text((left, top + FRAME + 4), caption, fill=SOFT_INK, font=ImageFont.load_default(13))
    return np.asarray(sheet)


def _strips(videos: Sequence[Video]) -> list[tuple[str, list[np.ndarray]]]:
    """A caption and frames for each strip; single images go five to a strip."""
    if videos[0].num_frames == 1:
        shown = videos[: MAX_STRIPS * FRAMES_PER_STRIP]
        groups = [shown[first : first + FRAMES_PER_STRIP] for first in range(0, len(shown), FRAMES_PER_STRIP)]
        return [(f"{group[0].name} …", [render(video, FRAME)[0] for video in group]) for group in groups]
    return [
        (_caption(video), list(render(video, FRAME, frames=_moments(video)))) for video in _varied(videos)
    ]


def _varied(videos: Sequence[Video]) -> list[Video]:
    """One video of each label first, then others, in the order of the data set."""
    seen: set[str] = set()
    first: list[Video] = []
    rest: list[Video] = []
    for video in videos:
        label = _label(video)
        (rest if label in seen else first).append(video)
        seen.add(label)
    return (first + rest)[:MAX_STRIPS]


def _label(video: Video) -> str:
    known = (video.labels.get(name) for name in ("action", "anomaly_type"))
    return next((label for label in known if label), video.person)


def _caption(video: Video) -> str:
    events = ", ".join(dict.fromkeys(segment.label for segment in video.segments))
    label = events or _label(video)
    return " · ".join(dict.fromkeys((video.name, label, video.person, video.scene)))


def _moments(video: Video) -> list[int]:
    """Frames (5,) spread over the first event, or over the whole video."""
    start, end = 0, video.num_frames
    if video.segments:
        start = round(video.segments[0].start_seconds * video.fps)
        end = min(end, round(video.segments[0].end_seconds * video.fps))
    return (
        np.linspace(start + 0.06 * (end - start), end - 1 - 0.06 * (end - start), FRAMES_PER_STRIP)
        .astype(int)
        .tolist()
    )
