"""The ranking loss of Sultani et al. (CVPR 2018): the worst moment of an anomalous video outranks a normal one's."""

from __future__ import annotations

from torch import Tensor


def ranking(normal: Tensor, anomalous: Tensor, *, margin: float = 1.0) -> Tensor:
    """Mean of max(0, margin - a + n) over all pairs of anomalous scores a (A,) and normal scores n (N,), a scalar."""
    return (margin - anomalous[:, None] + normal[None, :]).clamp(min=0).mean()
