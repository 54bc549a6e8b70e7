"""Random cut-outs of training videos."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from latentveil.tasks.detection.config import TriDetConfig


def random_window(
    length: int, segments: Tensor, config: TriDetConfig, random: np.random.Generator
) -> tuple[int, int]:
    """Where a random part of a video of ``length`` clips with ``segments`` (G, 2) starts, and where it has stopped.

    A long video gives ``max_clips`` clips, any other at least the share ``crop_shortest``. The part keeps enough of
    at least one segment, if some part that was tried does.
    """
    for _ in range(config.crop_tries):
        size = config.max_clips
        if length <= config.max_clips:
            size = int(random.integers(math.ceil(config.crop_shortest * length), length + 1))
        start = int(random.integers(length - size + 1))
        if len(segments) == 0 or survivors(segments, (start, start + size), config).any():
            break
    return start, start + size


def survivors(segments: Tensor, window: tuple[int, int], config: TriDetConfig) -> Tensor:
    """Which segments (G, 2) keep at least the share ``crop_keep`` of their length inside ``window``: (G,) bool."""
    inside = segments.clamp(*window)
    lengths, kept = segments[:, 1] - segments[:, 0], inside[:, 1] - inside[:, 0]
    return (kept > 0) & (kept >= config.crop_keep * lengths)


def cut_segments(segments: Tensor, window: tuple[int, int], config: TriDetConfig) -> tuple[Tensor, Tensor]:
    """The surviving segments (G', 2), cut to ``window`` and counted from its start, and their indices (G',)."""
    index = torch.nonzero(survivors(segments, window, config))[:, 0]
    return segments[index].clamp(*window) - window[0], index
