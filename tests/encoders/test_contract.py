"""What every encoder promises, run over all of them: a new file in encoders/ must find its place here."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
import torch

from latentveil.encoders import ENCODERS, Encoder, load_encoder
from latentveil.encoders.base import hash_weights
from latentveil.errors import InputError

NAMES = ENCODERS.names()


@pytest.fixture(scope="module")
def encoders(videomae_folder, vjepa2_folder) -> dict[str, Encoder]:
    """Every encoder by name, at sizes that keep the tests fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(__file__).rsplit("/", 1)[0])
        return {
            "i3d": load_encoder("i3d", size=64),
            "module": load_encoder("module:own_network:Tokens"),
            "tiny": load_encoder("tiny"),
            "videomae": load_encoder(f"videomae:{videomae_folder}"),
            "vjepa2": load_encoder("vjepa2", weights=str(vjepa2_folder)),
        }


@pytest.fixture(params=NAMES)
def encoder(request, encoders) -> Encoder:
    return encoders[request.param]


@pytest.fixture
def clips(encoder, make_clips) -> torch.Tensor:
    return make_clips(2, size=encoder.info.frame_size, frames=encoder.info.clip_frames)


def test_no_encoder_is_left_out(encoders):
    assert sorted(encoders) == NAMES


def test_features_are_finite_float32_of_the_declared_dim_and_the_same_every_time(encoder, clips):
    features = encoder.encode(clips)
    assert features.dtype == torch.float32
    assert features.shape == (2, encoder.info.dim)
    assert torch.isfinite(features).all()
    assert not features.requires_grad
    assert torch.equal(features, encoder.encode(clips))
    # What numpy hands over, read-only and strided included, gives the same.
    mirrored = clips.flip(0).numpy()[::-1]
    mirrored.setflags(write=False)
    assert torch.equal(features, encoder.encode(mirrored))


def test_a_clip_does_not_depend_on_its_batch(encoder, clips):
    together = encoder.encode(clips)
    alone = torch.cat([encoder.encode(clip[None]) for clip in clips])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(together[0], together[1], rtol=1e-3, atol=1e-3)


def test_encoder_stays_frozen(encoder, clips):
    torch.nn.ModuleList([encoder]).train()
    assert not any(module.training for module in encoder.modules())
    assert not any(parameter.requires_grad for parameter in encoder.parameters())
    before = hash_weights(encoder.state_dict())
    encoder.encode(clips)
    assert hash_weights(encoder.state_dict()) == before


def test_info_is_plain_and_complete(encoder):
    info = encoder.info
    assert info.name.split(":")[0] in NAMES
    assert len(info.weights_sha256) == 64
    assert info.pooling
    for value in asdict(info).values():
        assert isinstance(value, str | int | tuple)
    assert all(type(number) is float for number in (*info.mean, *info.std))


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
def test_wrong_clips_are_refused(encoder, clips, spoil, message):
    with pytest.raises(InputError, match=message):
        encoder.encode(spoil(clips))


def test_a_still_and_a_movement_differ(encoder, make_clips):
    """The same frames, once standing, once moving on by a few pixels a frame."""
    info = encoder.info
    scene = make_clips(1, size=info.frame_size, frames=1)[0, 0]
    moving = torch.stack([scene.roll(4 * frame, dims=1) for frame in range(info.clip_frames)])
    moving[-1] = 0  # a network that does no more than average colours must see it, too
    still = scene.expand_as(moving)
    features = encoder.encode(torch.stack([still, moving]))
    assert torch.isfinite(features).all()
    assert (features[0] - features[1]).norm() > 0.01 * features[0].norm()
