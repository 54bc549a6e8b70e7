"""TriDet as one module: features of padded videos in, dense outputs of each level out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from latentveil.errors import InputError
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.heads import TridentHead, class_head
from latentveil.tasks.detection.sgp import SGPBackbone


@dataclass(frozen=True)
class LevelOutput:
    """What TriDet says at one level, whose points lie ``stride`` clips apart.

    Shapes: ``logits``, ``start`` and ``end`` (B, C, T) with C classes; ``offsets`` (B, 2, bins + 1, T), first for
    the start, then for the end; ``mask`` (B, T), True where a point lies inside the video.
    """

    logits: Tensor
    start: Tensor
    end: Tensor
    offsets: Tensor
    mask: Tensor
    stride: int


class TriDet(nn.Module):
    """The detector of Shi et al. 2023 for features of ``dim`` numbers per clip.

    The running mean of the number of positive points, by which the loss is divided, is a buffer of the module.
    """

    normaliser: Tensor

    def __init__(self, dim: int, num_classes: int, config: TriDetConfig) -> None:
        super().__init__()
        self.config = config
        self.num_classes = num_classes
        self.backbone = SGPBackbone(dim, config)
        self.classes = class_head(config, num_classes)
        self.trident = TridentHead(config, num_classes)
        self.register_buffer("normaliser", torch.tensor(config.normaliser_start))

    def forward(self, features: Tensor, mask: Tensor) -> list[LevelOutput]:
        """The outputs of every level for ``features`` (B, T, D), which are not read where ``mask`` (B, T) is False."""
        features, mask = self._pad(features, mask)
        if self.training and self.config.input_noise:
            features = features + self.config.input_noise * torch.randn_like(features)
        if not self.config.released_padding:
            features = features * mask[:, :, None]
        maps, masks = self.backbone(features, mask)
        outputs = []
        for level, (x, level_mask) in enumerate(zip(maps, masks)):
            start, end, offsets = self.trident(x, level_mask, level=level)
            logits = self.classes(x, level_mask)
            outputs.append(
                LevelOutput(logits, start, end, offsets, level_mask[:, 0], self.config.strides[level])
            )
        return outputs

    def update_normaliser(self, num_positive: int) -> None:
        """Take the number of positive points of one training batch into the running mean."""
        momentum = self.config.normaliser_momentum
        self.normaliser.mul_(momentum).add_((1 - momentum) * max(num_positive, 1))

    def _pad(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Features (B, T', D), zero where padded, and mask (B, T'), T' a length that every level divides."""
        if not mask.any(dim=1).all():
            raise InputError("mask must keep at least one clip of each video, got a video without any.")
        length, multiple = features.shape[1], self.config.length_multiple
        longest = max(length, self.config.max_clips) if self.config.released_padding else length
        missing = -(-longest // multiple) * multiple - length
        features = torch.where(mask[:, :, None], features, 0)
        return F.pad(features, (0, 0, 0, missing)), F.pad(mask, (0, missing))
