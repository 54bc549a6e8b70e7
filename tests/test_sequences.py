from __future__ import annotations

import numpy as np
import torch

from latentveil.sequences import pad_sequences


def test_padding_against_a_plain_loop():
    random = np.random.default_rng(0)
    sequences = [random.normal(size=(length, 3)).astype(np.float32) for length in (2, 5, 1)]
    features, mask = pad_sequences([sequences[0], torch.from_numpy(sequences[1]), sequences[2]])
    for row, sequence in enumerate(sequences):
        for clip in range(5):
            assert mask[row, clip] == (clip < len(sequence))
            wanted = sequence[clip] if clip < len(sequence) else np.zeros(3)
            assert features[row, clip].tolist() == wanted.tolist()
    assert mask.dtype == torch.bool


def test_the_mask_is_on_the_device_of_the_features():
    features, mask = pad_sequences([torch.zeros(2, 3, device="meta"), torch.zeros(1, 3, device="meta")])
    assert mask.device == features.device
