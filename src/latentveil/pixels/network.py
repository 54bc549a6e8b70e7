"""What a network of pixels is: a file `pixels/<name>.py` that assigns ``pixel_network`` is the network of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from latentveil.adapters.network import AnyNetwork
from latentveil.pixels.request import VideoRequest
from latentveil.plugins import Kind
from latentveil.video.frames import Frame, FrameSource


@dataclass(frozen=True)
class PixelNetwork(AnyNetwork):
    """A network of clips, (B, T, C, H, W) in [0, 1] to the same, for any T, H and W, and what can be chosen about it.

    ``build(options)`` makes the module. A whole video is given to it ``block_frames`` frames at a time, the last block
    filled up with its last frame. A network that must know more of a video than that, such as where a face was before,
    has ``stream(module, source, request)``, which gives all frames in order. ``prepare(module)`` loads what it needs
    before the first video, unless boxes of all videos are given. One that ``has_boxes`` covers regions and reads or
    tells their boxes by the request.
    """

    block_frames: int = 8
    stream: Callable[[Any, FrameSource, VideoRequest], Iterator[Frame]] | None = None
    prepare: Callable[[Any], object] | None = None
    has_boxes: bool = False


PIXEL_NETWORKS = Kind("pixel network", "latentveil.pixels", PixelNetwork)
