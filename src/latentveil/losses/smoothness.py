"""Smoothness of anomaly scores: neighbours in time should have similar ones."""

from __future__ import annotations

from torch import Tensor


def smoothness(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """The sum of squared steps between neighbouring scores (B, T) within each video, a scalar.

    ``mask`` (B, T) is True where a score is real; steps into or out of padding do not count.
    """
    steps = scores[:, 1:] - scores[:, :-1]  # (B, T - 1)
    if mask is not None:
        steps = steps * (mask[:, 1:] & mask[:, :-1])
    return steps.square().sum()
