"""What a run says of the regions it covered: a CSV file of boxes, and a page of the frames to look at."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

from latentveil.files.outputs import write_whole
from latentveil.notices import notify
from latentveil.pixels.review import Doubt, ReviewPage, thumbnail
from latentveil.video.boxes import Boxes, csv_rows, read_boxes, write_boxes
from latentveil.video.frames import Frame


class Outcome:
    """Boxes and doubts of all videos of a run; what an earlier run wrote of videos that ``keep`` knows stays."""

    def __init__(
        self, boxes_out: str | Path | None, review: str | Path | None, *, keep: Callable[[str], bool]
    ) -> None:
        self.boxes_out = Path(boxes_out) if boxes_out is not None else None
        self.page = ReviewPage(Path(review), keep=keep) if review is not None else None
        if self.boxes_out is not None:
            earlier = _read_earlier(self.boxes_out) if self.boxes_out.is_file() else {}
            kept = {video: boxes for video, boxes in earlier.items() if keep(video)}
            write_boxes(self.boxes_out, kept)
            self._with_boxes = set(kept)

    def tell_gaps(self, done: Sequence[str]) -> None:
        """Say so where the files lack videos that an earlier run has ``done``: silence is not to pass for safety."""
        files = {}
        if self.boxes_out is not None:
            files[self.boxes_out] = self._with_boxes
        if self.page is not None:
            files[self.page.path] = self.page.videos
        for path, known in files.items():
            missing = [video for video in done if video not in known]
            if missing:
                notify(
                    f"{path} says nothing of {len(missing)} videos that an earlier run rewrote, such as "
                    f"{missing[0]!r}. Rewrite them into another folder to have them in it."
                )

    def of_video(self, video: str) -> VideoOutcome:
        """Where one video's boxes and doubts go; they count once it is whole."""
        return VideoOutcome(self, video)

    def finish(self) -> None:
        """Write the page."""
        if self.page is not None:
            self.page.write()


class VideoOutcome:
    """Boxes and doubts of one video."""

    def __init__(self, outcome: Outcome, video: str) -> None:
        self._outcome, self._video = outcome, video
        self._boxes: Boxes | None = None
        self._doubts: list[Doubt] = []

    def keep_boxes(self, boxes: Boxes) -> None:
        """Remember the boxes that are covered."""
        self._boxes = boxes

    def keep_doubt(self, frame: Frame, reason: str) -> None:
        """Remember a rewritten frame that somebody should look at."""
        if self._outcome.page is not None:
            self._doubts.append(Doubt(self._video, frame.index, frame.time, reason, thumbnail(frame.rgb)))

    def commit(self) -> None:
        """Add all of it to the files."""
        if self._outcome.boxes_out is not None and self._boxes is not None:
            with open(self._outcome.boxes_out, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(csv_rows(self._video, self._boxes))
        if self._outcome.page is not None:
            self._outcome.page.add(self._video, self._doubts)


def _read_earlier(path: Path) -> dict[str, Boxes]:
    """The boxes of an earlier run; where it was killed, half a line at the end is of a video to be done again."""
    content = path.read_bytes()
    whole, _, half = content.rpartition(b"\n")
    if half and half.count(b",") < content.partition(b"\n")[0].count(b","):
        write_whole(path, whole + b"\n")
    return read_boxes(path)
