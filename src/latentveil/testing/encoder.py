"""The contract of an encoder: frozen, the same for every clip every time, and able to tell a still from a movement."""

from __future__ import annotations

from dataclasses import asdict

import torch
from torch import Tensor

from latentveil.encoders import EncoderPlugin, find_encoder, load_encoder
from latentveil.encoders.base import Encoder, hash_weights
from latentveil.testing.contract import require, require_facts, require_keyword_only


def check_encoder(
    encoder: str | EncoderPlugin | Encoder, *, size: int | None = None, weights: str | None = None
) -> None:
    """Raise ``ContractBroken`` where an encoder breaks a promise of its kind.

    It may be a name, ``name:weights``, ``package.module:object``, the plug-in, or an encoder that is loaded already;
    ``size`` and ``weights`` are handed to its ``load``, as ``load_encoder`` does.
    """
    loaded = encoder if isinstance(encoder, Encoder) else _load(encoder, size=size, weights=weights)
    for check in (
        _info_is_plain_and_complete,
        _features_are_as_declared_and_the_same_every_time,
        _a_clip_does_not_depend_on_its_batch,
        _stays_frozen,
        _a_still_and_a_movement_differ,
    ):
        check(loaded)


def _load(encoder: str | EncoderPlugin, *, size: int | None, weights: str | None) -> Encoder:
    plugin, _ = find_encoder(encoder)
    require_facts(plugin, "encoder")
    require_keyword_only(plugin.load, f"load of encoder {plugin.name!r}")
    loaded, again = (load_encoder(encoder, size=size, weights=weights) for _ in range(2))
    require(
        type(loaded) is Encoder,
        f"load of encoder {plugin.name!r} must give a latentveil.encoders.Encoder, got {type(loaded).__name__}.",
    )
    require(
        loaded.info == again.info,
        f"encoder {plugin.name!r} must have the same weights whenever it is loaded, got others. Seed its network.",
    )
    require(
        plugin.name in loaded.info.name,
        f"info.name of encoder {plugin.name!r} must hold its name, by which a store's reader finds it, got "
        f"{loaded.info.name!r}.",
    )
    return loaded


def _info_is_plain_and_complete(encoder: Encoder) -> None:
    info = encoder.info
    require(info.name, "info.name must not be empty.")
    require(
        info.weights_sha256 and len(info.weights_sha256) == 64,
        f"info.weights_sha256 of {info.name} must be a SHA-256 in hex, got {info.weights_sha256!r}. Use hash_weights.",
    )
    require(info.pooling, f"info.pooling of {info.name} must say how one vector came about, got nothing.")
    for field, value in asdict(info).items():
        require(
            isinstance(value, str | int | tuple),
            f"info.{field} of {info.name} must be a plain value, got {type(value).__name__}.",
        )
    require(
        all(type(number) is float for number in (*info.mean, *info.std)),
        f"info.mean and info.std of {info.name} must be three floats each, got {info.mean} and {info.std}.",
    )


def _features_are_as_declared_and_the_same_every_time(encoder: Encoder) -> None:
    clips, info = _clips(encoder, 2), encoder.info
    features = encoder.encode(clips)
    require(
        features.dtype == torch.float32 and features.shape == (2, info.dim) and not features.requires_grad,
        f"features of {info.name} must be float32 of shape (2, {info.dim}), got {features.dtype} "
        f"{tuple(features.shape)}.",
    )
    require(
        torch.isfinite(features).all(), f"features of {info.name} must be finite, got NaN or infinite ones."
    )
    # What numpy hands over, read-only and strided included, gives the same.
    mirrored = clips.flip(0).numpy()[::-1]
    mirrored.setflags(write=False)
    require(
        torch.equal(features, encoder.encode(clips)) and torch.equal(features, encoder.encode(mirrored)),
        f"features of {info.name} must be the same every time a clip is encoded, got others. Is there chance in it?",
    )


def _a_clip_does_not_depend_on_its_batch(encoder: Encoder) -> None:
    clips, name = _clips(encoder, 2), encoder.info.name
    together = encoder.encode(clips)
    alone = torch.cat([encoder.encode(clip[None]) for clip in clips])
    require(
        torch.allclose(together, alone, rtol=1e-4, atol=1e-4),
        f"features of {name} must not depend on the other clips of a batch, got a difference of "
        f"{(together - alone).abs().max():.2g}.",
    )
    require(
        not torch.allclose(together[0], together[1], rtol=1e-3, atol=1e-3),
        f"features of {name} must differ between two random clips, got the same.",
    )


def _stays_frozen(encoder: Encoder) -> None:
    name = encoder.info.name
    torch.nn.ModuleList([encoder]).train()
    require(
        not any(module.training for module in encoder.modules()),
        f"encoder {name} must stay in evaluation mode when train() is called around it.",
    )
    require(
        not any(parameter.requires_grad for parameter in encoder.parameters()),
        f"parameters of {name} must not ask for gradients.",
    )
    before = hash_weights(encoder.state_dict())
    encoder.encode(_clips(encoder, 2))
    require(
        hash_weights(encoder.state_dict()) == before,
        f"weights of {name} must stay as they are while it encodes, got others. Do norms or counters update?",
    )


def _a_still_and_a_movement_differ(encoder: Encoder) -> None:
    """The same frames, once standing, once moving on by a few pixels a frame."""
    scene = _clips(encoder, 1)[0, 0]  # (H, W, 3)
    moving = torch.stack([scene.roll(4 * frame, dims=1) for frame in range(encoder.info.clip_frames)])
    moving[-1] = 0  # a network that does no more than average colours must see it, too
    still, moved = encoder.encode(torch.stack([scene.expand_as(moving), moving]))
    require(
        (still - moved).norm() > 0.01 * still.norm(),
        f"features of {encoder.info.name} must tell a still from a movement, got the same.",
    )


def _clips(encoder: Encoder, batch: int) -> Tensor:
    """Random clips (B, T, H, W, 3) uint8 as the encoder takes them."""
    info = encoder.info
    shape = (batch, info.clip_frames, info.frame_size, info.frame_size, 3)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
