"""A page of the frames where a region may have been missed, for somebody to look at; it loads nothing."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

import numpy as np
from PIL import Image

from latentveil.errors import InputError
from latentveil.files.outputs import write_whole

THUMBNAIL_SIDE = 240
_BEGINNING = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Frames to look at</title>
"""  # tells a page from other files
_HEAD = (
    _BEGINNING
    + """<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 24px; }
main { display: flex; flex-wrap: wrap; gap: 14px; } main p { width: 100%; margin: 0; }
figure { margin: 0; width: 250px; } img { max-width: 100%; border: 1px solid #ccc; } figcaption { color: #555; }
</style></head><body>
<h1>Frames to look at</h1>
<p>Here the detector was not sure. Every picture is a frame of the rewritten video: the page shows no more than
that does. Is somebody visible who should not be? Correct the file of boxes that was written
with it, and give that file to the next run.</p>
<main>
"""
)
_TAIL = "</main></body></html>\n"
_ENTRY = re.compile(r'^<(figure|p) data-video="([^"]*)">.*</\1>$', re.MULTILINE)


@dataclass(frozen=True)
class Doubt:
    """A rewritten frame to look at: ``picture`` is a small JPEG of it."""

    video: str
    frame: int
    time: float
    reason: str
    picture: bytes


class ReviewPage:
    """The page at ``path``; what it says of videos that ``keep`` knows, from an earlier run, stays.

    ``videos`` are those that it speaks of, be it that there is nothing to look at.
    """

    def __init__(self, path: Path, *, keep: Callable[[str], bool]) -> None:
        self.path = path
        _require_page(path)
        earlier = path.read_text(encoding="utf-8") if path.is_file() else ""
        kept = [one for one in _ENTRY.finditer(earlier) if keep(unescape(one.group(2)))]
        self._entries = [one.group() for one in kept]
        self.videos = {unescape(one.group(2)) for one in kept}
        self.write()

    def add(self, video: str, doubts: Sequence[Doubt]) -> None:
        """Add a video that is whole, with its doubts, and write the page."""
        nothing = f'<p data-video="{escape(video)}">{escape(video)}: nothing to look at.</p>'
        self._entries += [_figure(doubt) for doubt in doubts] or [nothing]
        self.videos.add(video)
        self.write()

    def write(self) -> None:
        """Write the page, whole."""
        body = "\n".join(self._entries) or "<p>None.</p>"
        write_whole(self.path, f"{_HEAD}{body}\n{_TAIL}")


def _require_page(path: Path) -> None:
    """Refuse to write over a file that is no such page: one of boxes that somebody has corrected, or a video."""
    content = path.read_bytes() if path.is_file() else b""
    if content and not content.startswith(_BEGINNING.encode()):
        raise InputError(
            f"review must be a new file, or a page of an earlier run, got {path}, which holds something else: it would "
            "be lost. Name a new one."
        )


def thumbnail(rgb: np.ndarray) -> bytes:
    """A small JPEG of a picture (H, W, 3)."""
    image = Image.fromarray(rgb)
    image.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    buffer = io.BytesIO()
    image.save(buffer, format="jpeg", quality=80)
    return buffer.getvalue()


def _figure(doubt: Doubt) -> str:
    data = base64.b64encode(doubt.picture).decode()
    caption = f"{doubt.video}, frame {doubt.frame} ({doubt.time:.2f} s): {doubt.reason}"
    picture = f'<img alt="" src="data:image/jpeg;base64,{data}">'
    return (
        f'<figure data-video="{escape(doubt.video)}">{picture}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
