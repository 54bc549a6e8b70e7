"""The detectors: scores that do not depend on batch mates or padding, crops, and the published size."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from latentveil.sequences import pad_sequences
from latentveil.tasks.anomaly.config import MGFNConfig, SultaniConfig
from latentveil.tasks.anomaly.mgfn import MGFN
from latentveil.tasks.anomaly.sultani import Sultani

TINY = replace(MGFNConfig.small(), dims=(8, 8, 16), head_dim=4)


def detectors() -> list[nn.Module]:
    torch.manual_seed(0)
    return [MGFN(6, TINY).eval(), Sultani(6, SultaniConfig()).eval()]


@pytest.mark.parametrize("detector", detectors(), ids=lambda detector: type(detector).__name__)
def test_scores_do_not_depend_on_batch_mates(detector):
    generator = torch.Generator().manual_seed(1)
    videos = [torch.randn(length, 6, generator=generator) for length in (1, 5, 40, 12)]
    features, mask = pad_sequences(videos)
    features[~mask] = 1e3  # an adapter may leave anything in the padding
    together = detector(features, mask)
    for video, scores, real in zip(videos, together, mask):
        alone = detector(video[None], torch.ones(1, len(video), dtype=torch.bool))[0]
        assert torch.allclose(scores[real], alone, atol=1e-5)
        assert (scores[~real] == 0).all()


def test_scores_are_means_over_crops():
    torch.manual_seed(0)
    detector = MGFN(6, TINY).eval()
    crops = torch.randn(2, 3, 9, 6)  # (B, N, T, D)
    mask = torch.ones(2, 9, dtype=torch.bool)
    alone = torch.stack([detector(crops[:, crop], mask) for crop in range(3)])
    assert torch.allclose(detector(crops, mask), alone.mean(0), atol=1e-6)


def test_loss_takes_any_number_of_crops_and_feeds_gradients_to_the_features():
    torch.manual_seed(0)
    detector = MGFN(6, TINY).train()
    for shape in ((4, 32, 6), (4, 10, 32, 6)):
        segments = torch.randn(shape, requires_grad=True)
        detector.loss(segments, torch.tensor([False, True, False, True])).backward()
        assert torch.isfinite(segments.grad).all()
        assert (segments.grad.abs().flatten(1).sum(1) > 0).all()


def test_published_size():
    """Counted by hand for features of 2048 channels."""
    detector = MGFN(2048, MGFNConfig())
    amplify = 64 * (2048 * 3 + 1) + 64 * (3 + 1)

    def layer(dim: int, attention: int) -> int:
        shortcut = dim * (3 * dim + 1)
        feed_forward = 2 * dim + 4 * dim * (dim + 1) + dim * (4 * dim + 1)
        return shortcut + attention + feed_forward

    def glance(dim: int) -> int:
        return 2 * dim + 3 * dim * dim + dim * (dim + 1)

    def focus(dim: int) -> int:
        return 2 * dim + dim * dim + (dim // 64) * (5 + 1) + dim * (dim + 1)

    stages = 3 * layer(64, glance(64)) + 3 * layer(128, focus(128)) + 2 * layer(1024, focus(1024))
    widen = (2 * 64 + 128 * 65) + (2 * 128 + 1024 * 129)
    head = 2 * 1024 + 1025
    assert sum(p.numel() for p in detector.parameters()) == amplify + stages + widen + head
    assert [stage.layers[0].attention.heads for stage in detector.stages] == [1, 2, 16]
