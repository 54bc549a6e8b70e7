"""Sigmoid focal loss for dense classification where almost everything is background."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def focal_loss(
    logits: Tensor, target: Tensor, *, weight: Tensor | None = None, alpha: float = 0.25, gamma: float = 2.0
) -> Tensor:
    """The summed focal loss of independent sigmoids (Lin et al. 2017, Eq. 5).

    Shapes: ``logits``, ``target`` (0 or 1) and ``weight`` (a factor per entry) (..., C); the result is a scalar.
    """
    cross_entropy = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    miss = torch.where(target > 0, torch.sigmoid(-logits), torch.sigmoid(logits))  # 1 - p of the true answer
    balance = alpha * target + (1 - alpha) * (1 - target)
    loss = balance * miss**gamma * cross_entropy
    return loss.sum() if weight is None else (weight * loss).sum()
