"""The self-supervised privacy loss L_B (Eq. 5): NT-Xent between two views of each video, to be maximised."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def nt_xent(first: Tensor, second: Tensor, *, temperature: float = 0.1, symmetric: bool = True) -> Tensor:
    """How hard it is to tell, from row i of ``first`` (N, D), that row i of ``second`` (N, D) belongs to it: a scalar.

    Each anchor's alternatives are all other rows of both views. As printed in the paper the anchors are the rows of
    ``first`` alone; ``symmetric`` averages over both directions, as the public code does.
    """
    one_sided = _anchored(first, second, temperature)
    if not symmetric:
        return one_sided
    return (one_sided + _anchored(second, first, temperature)) / 2


def uniform_level(num_videos: int) -> float:
    """The value of ``nt_xent`` when nothing tells the right row from the 2 N - 2 wrong ones: log(2 N - 1)."""
    return math.log(2 * num_videos - 1)


def _anchored(anchors: Tensor, partners: Tensor, temperature: float) -> Tensor:
    anchors, partners = F.normalize(anchors, dim=-1), F.normalize(partners, dim=-1)
    to_partners = anchors @ partners.T / temperature  # (N, N), the diagonal holds the right answers
    to_anchors = anchors @ anchors.T / temperature  # (N, N)
    itself = torch.eye(len(anchors), dtype=torch.bool, device=anchors.device)
    logits = torch.cat([to_partners, to_anchors.masked_fill(itself, -torch.inf)], dim=1)  # (N, 2 N)
    return F.cross_entropy(logits, torch.arange(len(anchors), device=anchors.device))
