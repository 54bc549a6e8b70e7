"""VITA's privacy loss: an ensemble of observers is led towards knowing nothing, the most certain of them first."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import log_softmax


def confusion(logits: list[list[Tensor]]) -> Tensor:
    """Mean over examples of the largest cross-entropy to the uniform distribution that any observer has: a scalar.

    ``logits[m][s]`` (B, C_s) are what observer m says of secret s; an observer's loss is the mean over its secrets. It
    is lowest, the mean of log C_s, where nobody prefers any class.
    """
    of_observers = [
        torch.stack([-log_softmax(secret, dim=-1).mean(dim=-1) for secret in observer]).mean(dim=0)
        for observer in logits
    ]  # (B,) each
    return torch.stack(of_observers).amax(dim=0).mean()
