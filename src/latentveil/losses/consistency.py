"""The latent consistency loss L_LC (Eq. 6): how far the anonymized features moved from the raw ones."""

from __future__ import annotations

from torch import Tensor

from latentveil.errors import InputError

REDUCTIONS = ("mean", "sum")


def latent_consistency(before: Tensor, after: Tensor, mask: Tensor, *, reduction: str = "mean") -> Tensor:
    """Squared distance between ``before`` and ``after`` (B, T, D) over the clips of ``mask`` (B, T): a scalar.

    "sum" adds the squares over D as Eq. 6 is printed, "mean" averages them as the public code does (D times
    smaller); both average over clips.
    """
    if reduction not in REDUCTIONS:
        raise InputError(f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}.")
    squares = (after - before)[mask].square()  # (N, D)
    per_clip = squares.sum(dim=-1) if reduction == "sum" else squares.mean(dim=-1)
    return per_clip.mean()
