"""Videos as padded batches of clip features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor


def pad_sequences(sequences: Sequence[np.ndarray | Tensor]) -> tuple[Tensor, Tensor]:
    """Stack sequences (T_i, D) into features (B, T, D), zero-padded, and mask (B, T), True where a clip is real."""
    tensors = [torch.as_tensor(sequence) for sequence in sequences]
    features = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True)  # (B, T, D)
    lengths = torch.tensor([len(tensor) for tensor in tensors], device=features.device)
    mask = torch.arange(features.shape[1], device=features.device) < lengths[:, None]  # (B, T)
    return features, mask


def phase_means(values: Tensor, mask: Tensor, phases: int) -> Tensor:
    """The mean of each of ``phases`` equal parts of every sequence (B, T, C): (B, phases, C).

    ``mask`` (B, T) is True where an element is real; padding comes last. A part of a sequence with fewer elements
    than parts takes the nearest element at or before its place.
    """
    chosen = phase_weights(mask, phases).to(values.dtype)
    return chosen @ values / chosen.sum(dim=2, keepdim=True)


def phase_weights(mask: Tensor, phases: int) -> Tensor:
    """Which elements the mean of each part is of, for ``mask`` (B, T): 1 or 0, (B, phases, T)."""
    length = mask.sum(dim=1, keepdim=True)  # (B, 1)
    place = torch.arange(mask.shape[1], device=mask.device)[None]  # (1, T)
    number = torch.arange(phases, device=mask.device)  # (P,)
    inside = ((place * phases // length)[:, None] == number[:, None]) & mask[:, None]  # (B, P, T)
    nearest = place[:, None] == (number * length // phases).minimum(length - 1)[..., None]  # (B, P, T)
    # numbers, not booleans: ONNX Runtime has no choice between booleans
    return torch.where(inside.any(dim=2, keepdim=True), inside.float(), nearest.float())
