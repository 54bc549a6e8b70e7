"""What all encoders share: normalisation, the hash of weights, and the check of clips."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from latentveil.encoders import load_encoder
from latentveil.encoders.base import Encoder, hash_weights
from latentveil.errors import InputError
from latentveil.types import EncoderInfo


def test_normalise_scales_to_one_then_takes_mean_and_std():
    info = EncoderInfo("x", "", 3, 2, 4, mean=(0.5, 0.0, 1.0), std=(0.5, 1.0, 0.25), pooling="none")
    clips = torch.zeros(1, 2, 4, 4, 3, dtype=torch.uint8)
    clips[0, 1, 2, 3] = torch.tensor([255, 51, 0])
    frames = Encoder(nn.Identity(), info).normalise(clips)
    assert frames.shape == (1, 3, 2, 4, 4)
    # red (1 - 0.5) / 0.5, green 0.2 / 1, blue (0 - 1) / 0.25
    torch.testing.assert_close(frames[0, :, 1, 2, 3], torch.tensor([1.0, 0.2, -4.0]))
    torch.testing.assert_close(frames[0, :, 0, 0, 0], torch.tensor([-1.0, 0.0, -4.0]))


def test_hash_sees_names_types_shapes_and_values_but_not_order_or_memory_layout():
    values = torch.arange(32.0).reshape(1, 2, 4, 2, 2)
    state = {"a": values, "b": torch.tensor(3)}
    expected = hash_weights(state)
    assert hash_weights({"b": torch.tensor(3), "a": values}) == expected
    assert hash_weights({**state, "a": values.to(memory_format=torch.channels_last_3d)}) == expected
    assert hash_weights({"c": values, "b": torch.tensor(3)}) != expected
    assert hash_weights({**state, "a": values.reshape(2, 1, 4, 2, 2)}) != expected
    assert hash_weights({**state, "a": values + 1e-6}) != expected
    assert hash_weights({**state, "b": torch.tensor(3, dtype=torch.int32)}) != expected


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda clips: clips.float(), "clips must be of type uint8, got torch.float32"),
        (lambda clips: clips.numpy().astype(np.int16), "clips must be of type uint8, got int16"),
        (lambda clips: [clips], "clips must be of type uint8, got list"),
        (lambda clips: clips[0], r"clips must be of shape \(B, "),
        (lambda clips: clips[:0], "with B >= 1"),
        (lambda clips: clips[:, :-1], r"clips must be of shape \(B, "),
        (lambda clips: clips[:, :, 1:], r"clips must be of shape \(B, "),
        (lambda clips: clips.permute(0, 4, 1, 2, 3), r"clips must be of shape \(B, "),
    ],
    ids=["float", "int16", "list", "one clip", "no clip", "too short", "not square", "channels first"],
)
def test_wrong_clips_are_refused(make_clips, spoil, message):
    encoder = load_encoder("tiny")
    clips = make_clips(2, size=encoder.info.frame_size, frames=encoder.info.clip_frames)
    with pytest.raises(InputError, match=message):
        encoder.encode(spoil(clips))
