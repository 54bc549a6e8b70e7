"""VideoMAE in its true size (ViT-B, 16 frames of 224 pixels) with random weights: as fast as with trained ones."""

from __future__ import annotations

import torch
from torch import nn

from latentveil.encoders.videomae import PooledVideoMAE


def build() -> nn.Module:
    from transformers import VideoMAEConfig, VideoMAEForVideoClassification

    torch.manual_seed(0)
    return PooledVideoMAE(VideoMAEForVideoClassification(VideoMAEConfig()))
