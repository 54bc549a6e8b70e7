"""The penalty-driven hinge (Eq. 4 of that paper): how much further than allowed an input was changed."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Hinge(NamedTuple):
    """The ``loss``, a scalar, and the ``active_share`` of the examples that it pulls back."""

    loss: Tensor
    active_share: float


def rms_hinge(before: Tensor, after: Tensor, *, bound: float) -> Hinge:
    """Mean over examples of max(0, RMS(before - after) - bound), for inputs (B, ...) of one shape.

    RMS is the root of the mean square over all numbers of one example.
    """
    # The root has no slope at zero; the shift keeps the gradient of unchanged examples finite.
    distance = ((before - after).flatten(1).square().mean(dim=1) + 1e-12).sqrt()  # (B,)
    return Hinge((distance - bound).clamp_min(0).mean(), float((distance > bound).float().mean()))
