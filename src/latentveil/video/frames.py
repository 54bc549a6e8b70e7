"""What a file gives: frames. The interface of every source of frames, and the still image, its simplest kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from latentveil.errors import InputError
from latentveil.video.decoding import USUAL, Decoding, Effort

IMAGE_EXTENSIONS = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
# What Pillow may take a file for, whatever its extension: no format that other programs are started for.
IMAGE_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
VIDEO_EXTENSIONS = frozenset(
    {".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm", ".wmv"}
)


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame: its number from 0, its time in seconds after the first frame, and RGB (H, W, 3) uint8.

    It is shown for ``seconds``; 0 where the file does not say.
    """

    index: int
    time: float
    rgb: np.ndarray
    seconds: float = 0.0


class FrameSource(ABC):
    """A file that frames can be read from."""

    is_image: bool = False

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def pixel_aspect(self) -> Fraction | None:
        """The width of a pixel by its height, upright; None where pixels are square."""
        return None

    @property
    def clock(self) -> Fraction | None:
        """The seconds that every time of a frame is a multiple of, where the file says."""
        return None

    @property
    @abstractmethod
    def num_frames(self) -> int:
        """How many frames the file announces, found without decoding them."""

    @abstractmethod
    def frames(self) -> Iterator[Frame]:
        """All frames in order, one at a time."""

    @abstractmethod
    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        """The frames with the given numbers, which must increase."""


class ImageFile(FrameSource):
    """A still image: one frame, turned upright as its EXIF orientation says."""

    is_image = True
    num_frames = 1

    def __init__(self, path: str | Path, *, decoding: Decoding = USUAL) -> None:
        super().__init__(path)
        self.effort = Effort(self.path, decoding)

    def frames(self) -> Iterator[Frame]:
        try:
            with Image.open(self.path, formats=IMAGE_FORMATS) as image:
                self.effort.require_pixels(*image.size)
                rgb = self._to_rgb(ImageOps.exif_transpose(image))
        except InputError:
            raise
        except Exception as error:  # six parsers, each with its own errors for a damaged file
            raise InputError(f"{self.path} must be a readable image, got: {error}.") from error
        yield Frame(0, 0.0, rgb)

    def _to_rgb(self, image: Image.Image) -> np.ndarray:
        """An image as RGB (H, W, 3) uint8; what has no known white is refused, for Pillow would clip it at 255."""
        if image.mode in ("I", "F"):
            raise InputError(
                f"{self.path} must have 8 or 16 bits per colour, got Pillow's mode {image.mode!r}. "
                "Save it with 8 bits."
            )
        if image.mode.startswith("I;16"):
            image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
        return np.asarray(image.convert("RGB"))

    def frames_at(self, indices: Sequence[int]) -> Iterator[Frame]:
        assert list(indices) == [0], indices
        return self.frames()
