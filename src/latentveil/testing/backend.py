"""The contract of a backend: the same features as torch gives, for any number of clips."""

from __future__ import annotations

import torch

from latentveil.encoders import BACKENDS, Backend, load_encoder
from latentveil.encoders.base import Encoder
from latentveil.testing.contract import require, require_facts

TOLERANCE = 1e-3


def check_backend(backend: str | Backend) -> None:
    """Raise ``ContractBroken`` where a backend (name, ``package.module:object`` or object) changes what it runs."""
    found = BACKENDS.get(backend)
    require_facts(found, "backend")
    by_torch = load_encoder("tiny")
    by_backend = found.run(load_encoder("tiny"))
    require(
        type(by_backend) is Encoder,
        f"backend {found.name!r} must give a latentveil.encoders.Encoder, got {type(by_backend).__name__}.",
    )
    require(
        by_backend.backend == found.name,
        f"backend {found.name!r} must give an encoder that says so, got {by_backend.backend!r}. Make it with "
        f'Encoder(…, backend="{found.name}").',
    )
    require(
        by_backend.info == by_torch.info,
        f"backend {found.name!r} must leave the encoder's info as it is, or else no store takes its features.",
    )
    size, frames = by_torch.info.frame_size, by_torch.info.clip_frames
    generator = torch.Generator().manual_seed(0)
    for batch in (1, 3):
        shape = (batch, frames, size, size, 3)
        clips = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
        expected, got = by_torch.encode(clips), by_backend.encode(clips)
        difference = ((got - expected).abs().max() / expected.abs().max()).item()
        require(
            difference <= TOLERANCE,
            f"features by backend {found.name!r} must agree with torch to {TOLERANCE}, got a difference of "
            f"{difference:.2g} for {batch} clips at once.",
        )
