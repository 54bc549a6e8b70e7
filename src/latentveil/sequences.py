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
