"""The tiny network: the same everywhere, fast, and blind to neither appearance nor motion."""

from __future__ import annotations

import time

import torch

from latentveil.encoders import load_encoder


def test_weights_never_change():
    """Stores made with `tiny` stay valid only as long as its weights are these."""
    encoder = load_encoder("tiny", size=112)
    assert encoder.info.weights_sha256 == "019511e3b16cd50f6f2ea5715bd79985fbbe70caa599bf6dd973a698cbd4a2f2"
    assert 10_000 < sum(parameter.numel() for parameter in encoder.parameters()) < 100_000


def test_a_still_has_one_feature_wherever_it_stands_in_time_and_a_movement_has_a_direction(make_clips):
    encoder = load_encoder("tiny")
    scene = make_clips(1, size=64, frames=1)[0, 0]
    forwards = torch.stack([scene.roll(3 * frame, dims=0) for frame in range(16)])
    still, there, back = encoder.encode(torch.stack([scene.expand_as(forwards), forwards, forwards.flip(0)]))
    unit = still.norm()
    assert (there - back).norm() > 0.02 * unit
    assert (there - still).norm() > (there - back).norm()


def test_colour_is_in_the_feature_of_a_still(make_clips):
    encoder = load_encoder("tiny")
    scene = make_clips(1, size=64, frames=1).expand(1, 16, 64, 64, 3)
    swapped = scene.flip(-1)
    features = encoder.encode(torch.cat([scene, swapped]))
    assert (features[0] - features[1]).norm() > 0.02 * features[0].norm()


def test_hundreds_of_clips_a_second_on_one_core(make_clips):
    """300 on a quiet core (benchmarks/speed/encoder.py); half of it here, where other tests share the caches."""
    encoder, clips = load_encoder("tiny"), make_clips(16, size=64)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        seconds = []
        for _ in range(5):
            start = time.process_time()
            encoder.encode(clips)
            seconds.append(time.process_time() - start)
    finally:
        torch.set_num_threads(threads)
    assert len(clips) / min(seconds) > 150
