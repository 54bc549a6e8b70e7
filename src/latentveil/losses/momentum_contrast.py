"""The loss of MoCo (He et al., 2020): find the key of the same video among those of many earlier ones."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize


def momentum_contrast(queries: Tensor, keys: Tensor, earlier: Tensor, *, temperature: float = 0.1) -> Tensor:
    """How hard it is to tell, from row i of ``queries`` (N, D), row i of ``keys`` from ``earlier`` keys (K, D)."""
    queries, keys, earlier = (normalize(rows, dim=-1) for rows in (queries, keys, earlier))
    right = (queries * keys).sum(dim=-1, keepdim=True)  # (N, 1)
    logits = torch.cat([right, queries @ earlier.T], dim=1) / temperature  # (N, 1 + K)
    return cross_entropy(logits, torch.zeros(len(queries), dtype=torch.long, device=queries.device))
