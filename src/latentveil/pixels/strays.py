"""What was asked for and hit nothing: spans after the end of a video, boxes outside of its pictures or frames."""

from __future__ import annotations

import numpy as np

from latentveil.notices import notify
from latentveil.pixels.request import VideoRequest
from latentveil.video.boxes import Boxes
from latentveil.video.frames import Frame


def tell_strays(request: VideoRequest, *, last: Frame) -> None:
    """Tell of spans and boxes that hide nothing in the video whose last frame this is: somebody relies on them."""
    _tell_late_spans(request, last)
    if request.boxes is not None:
        _tell_stray_boxes(request.video, request.boxes, last)


def _tell_late_spans(request: VideoRequest, last: Frame) -> None:
    """Minutes or milliseconds for seconds leave a video as it is."""
    late = [start for start, _ in request.spans if start > last.time + last.seconds]
    if late:
        notify(
            f"Of the spans of {request.video!r}, {len(late)} begin after its last frame at {last.time:.2f} s, such as "
            f"one at {late[0]:g} s: nothing is rewritten there."
        )


def _tell_stray_boxes(video: str, boxes: Boxes, last: Frame) -> None:
    """Boxes of a copy in another size or at another rate leave everybody visible."""
    height, width = last.rgb.shape[:2]
    left, top, right, bottom = boxes.corners.T
    outside = (right <= 0) | (bottom <= 0) | (left >= width) | (top >= height)
    (stray,) = np.nonzero(outside | (boxes.frame > last.index))
    if len(stray):
        notify(
            f"Of the {len(boxes)} boxes of {video!r}, {len(stray)} lie outside of it, such as one in frame "
            f"{boxes.frame[stray[0]]} at left {left[stray[0]]:g}, top {top[stray[0]]:g}: the video has frames 0 to "
            f"{last.index} of {width} x {height} pixels. Were they found in a copy of another size or rate?"
        )
