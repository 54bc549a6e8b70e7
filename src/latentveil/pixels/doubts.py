"""Which covered frames somebody should look at: where nothing was found, or where the detector was not sure."""

from __future__ import annotations

from latentveil.pixels.request import VideoRequest
from latentveil.video.boxes import FILLED, Boxes
from latentveil.video.frames import Frame

FRAMES_BETWEEN = 50  # a long stretch of doubt is shown again and again, this far apart


class Doubts:
    """Tells ``request.on_doubt`` of the first frame of each doubtful stretch, and of a few more of a long one."""

    def __init__(self, request: VideoRequest, *, sure: float) -> None:
        self._tell, self._sure = request.on_doubt, sure
        self._reason = ""
        self._next = 0

    def look(self, frame: Frame, boxes: Boxes) -> None:
        """Judge a covered frame by its boxes."""
        reason = self._reason_of(boxes)
        if reason and self._tell is not None and (reason != self._reason or frame.index >= self._next):
            self._tell(frame, reason)
            self._next = frame.index + FRAMES_BETWEEN
        self._reason = reason

    def _reason_of(self, boxes: Boxes) -> str:
        if not len(boxes):
            return "nothing found"
        if (boxes.score == FILLED).any():
            return "filled in between detections"
        return "low confidence" if (boxes.score < self._sure).any() else ""
