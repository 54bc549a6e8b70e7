"""Pooling to segments against plain loops, for long, short and padded videos."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from latentveil.sequences import pad_sequences
from latentveil.tasks.anomaly.segments import pool_segments


def loop_reference(clips: np.ndarray, num_segments: int) -> np.ndarray:
    """Segment by segment."""
    borders = [int(border) for border in np.linspace(0, len(clips), num_segments + 1)]
    pooled = []
    for start, end in pairwise(borders):
        pooled.append(clips[start:end].mean(0) if end > start else clips[start])
    return np.stack(pooled)


@pytest.mark.parametrize("num_segments", [4, 32])
def test_equals_plain_loops_whatever_the_batch_mates(num_segments):
    random = np.random.default_rng(0)
    videos = [random.normal(size=(length, 3)) for length in (1, 2, 7, 31, 32, 33, 64, 100)]
    pooled = pool_segments(*pad_sequences(videos), num_segments=num_segments)
    for video, found in zip(videos, pooled):
        np.testing.assert_allclose(found, loop_reference(video, num_segments), atol=1e-12)


def test_gradient_reaches_every_real_clip_and_no_padding():
    features, mask = pad_sequences([torch.ones(5, 2), torch.ones(70, 2)])
    features.requires_grad_()
    pool_segments(features, mask).sum().backward()
    assert (features.grad[mask] > 0).all()
    assert (features.grad[~mask] == 0).all()
