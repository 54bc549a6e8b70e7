"""A linear head whose answers leave room for doubt, so that training beside it has something to learn from.

A probe of well separated classes is surer than its data allow: with logits hundreds apart, its loss and the gradient
of its loss are exactly zero, and whoever trains against it is not told when a class is lost.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

LARGEST_MARGIN = 4.0  # of the median clip: a probability of 0.98 for its class
NUM_SCALES = 12


def calibrate(
    head: nn.Linear, train: tuple[np.ndarray, np.ndarray], validation: tuple[np.ndarray, np.ndarray]
) -> nn.Linear:
    """The same head with all logits scaled down, as far as makes the least loss on the validation clips.

    Shapes: each part is features (N, D) and targets, (N,) classes or (N, C) of 0 and 1. The right answer of the median
    training clip leads by ``LARGEST_MARGIN`` at most; decisions stay as they were.
    """
    with torch.no_grad():
        margin = float(_margins(head, *train).median())
        largest = min(1.0, LARGEST_MARGIN / margin) if margin > 0 else 1.0
        scales = [largest / 2**step for step in range(NUM_SCALES)]
        scale = min(scales, key=lambda scale: _loss(head, *validation, scale=scale))
        head.weight.mul_(scale)
        head.bias.mul_(scale)
    return head


def _logits(head: nn.Linear, features: np.ndarray) -> Tensor:
    return head(torch.as_tensor(features, dtype=torch.float32))


def _margins(head: nn.Linear, features: np.ndarray, targets: np.ndarray) -> Tensor:
    """By how much the logit of the right answer leads, (N,), or (N, C) where each class is a yes or no."""
    logits, wanted = _logits(head, features), torch.as_tensor(targets)
    if wanted.ndim == 2:
        return (2 * wanted - 1) * logits
    right = logits.gather(1, wanted[:, None])  # (N, 1)
    others = logits.scatter(1, wanted[:, None], -torch.inf)
    return (right - others.max(dim=1, keepdim=True).values)[:, 0]


def _loss(head: nn.Linear, features: np.ndarray, targets: np.ndarray, *, scale: float) -> float:
    logits, wanted = scale * _logits(head, features), torch.as_tensor(targets)
    if wanted.ndim == 2:
        return float(nn.functional.binary_cross_entropy_with_logits(logits, wanted.to(logits.dtype)))
    return float(nn.functional.cross_entropy(logits, wanted))
