"""Sparsity of anomaly scores: most of the time nothing happens."""

from __future__ import annotations

import torch
from torch import Tensor


def sparsity(scores: Tensor, mask: Tensor | None = None, *, order: int = 2) -> Tensor:
    """The norm of all scores (B, T) that are real by ``mask`` (B, T), a scalar; its gradient at zero is zero.

    Scores are not negative, so the norm of ``order`` 1 is their sum.
    """
    if mask is not None:
        scores = scores * mask
    return torch.linalg.vector_norm(scores, ord=order)
