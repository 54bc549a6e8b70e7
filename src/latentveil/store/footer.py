"""What a shard says about itself: its videos, the checksums of its content, and what it was made with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class VideoRows:
    """How many rows of a shard belong to one video; its static clips come first, each kind in time order."""

    video: str
    static: int
    temporal: int

    @property
    def rows(self) -> int:
        return self.static + self.temporal


@dataclass(frozen=True)
class Footer:
    """What a shard says about itself.

    ``sha256`` is the checksum of the content, whatever the compression; ``settings_sha256`` names the settings it was
    made with; ``fps`` the smallest and largest frame rate in it; ``source_sha256`` the shard it was derived from.
    ``groups`` are the checksums of the row groups, by which each is checked whenever it is read; None in shards of
    older versions, which are checked as a whole.
    """

    sha256: str
    settings_sha256: str
    videos: tuple[VideoRows, ...]
    fps: tuple[float, float] | None = None
    source_sha256: str | None = None
    groups: tuple[str, ...] | None = None

    @property
    def rows(self) -> int:
        return sum(video.rows for video in self.videos)

    @property
    def fingerprint(self) -> str:
        """The checksum of the footer itself, by which the manifest knows it."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """The text that the file carries."""
        compact = asdict(self) | {
            "videos": [[video.video, video.static, video.temporal] for video in self.videos]
        }
        return json.dumps(compact)

    @classmethod
    def from_json(cls, text: str | bytes) -> Footer:
        """What ``to_json`` gave; anything else raises KeyError, TypeError, ValueError or OverflowError."""
        raw: dict[str, Any] = json.loads(text)
        videos = tuple(_video_rows(*video) for video in raw.pop("videos"))
        fps, groups = raw.pop("fps"), raw.pop("groups", None)
        footer = cls(
            videos=videos,
            fps=None if fps is None else (float(fps[0]), float(fps[1])),
            groups=None if groups is None else tuple(map(str, groups)),
            **raw,
        )
        texts = (footer.sha256, footer.settings_sha256, footer.source_sha256 or "")
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("checksums that are no text")
        return footer


def _video_rows(video: str, static: int, temporal: int) -> VideoRows:
    counts = (static, temporal)
    if not isinstance(video, str) or any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(f"{video!r} with {static!r} and {temporal!r} clips")
    return VideoRows(video, static, temporal)
