from __future__ import annotations

import numpy as np
import pytest
import torch

from latentveil.sequences import pad_sequences, phase_means


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


@pytest.mark.parametrize("phases", [1, 2, 3, 5])
def test_phase_means_against_a_plain_loop(phases):
    random = np.random.default_rng(phases)
    sequences = [random.normal(size=(length, 2)) for length in (1, 2, 3, 4, 7, 12)]
    found = phase_means(*pad_sequences(sequences), phases)
    for sequence, means in zip(sequences, found):
        for phase in range(phases):
            inside = [row for place, row in enumerate(sequence) if place * phases // len(sequence) == phase]
            wanted = np.mean(inside, axis=0) if inside else sequence[phase * len(sequence) // phases]
            np.testing.assert_allclose(means[phase], wanted)


def test_phases_of_short_stretches_by_hand():
    values = torch.tensor([[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]])
    real = torch.ones(1, 6, dtype=torch.bool)
    assert phase_means(values, real, 3)[0, :, 0].tolist() == [0.5, 2.5, 4.5]
    assert phase_means(values[:, :1], real[:, :1], 3)[0, :, 0].tolist() == [0.0, 0.0, 0.0]
    assert phase_means(values[:, :2], real[:, :2], 3)[0, :, 0].tolist() == [0.0, 1.0, 1.0]
