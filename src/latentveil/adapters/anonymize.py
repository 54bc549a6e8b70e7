"""An adapter applied to clip features in memory, video by video."""

from __future__ import annotations

import numpy as np
import torch

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.errors import InputError
from latentveil.sequences import pad_sequences
from latentveil.types import STATIC, FeatureSet

CLIPS_PER_BATCH = 1024  # as fast as larger batches, with a fraction of their memory
NUM_REDRAWS = 4


def anonymize(adapter: AnonymizingAdapter, features: FeatureSet, *, seed: int | None = None) -> FeatureSet:
    """The same clips with anonymized features.

    The temporal clips of a video (of one view) go through together, in time order; each static clip goes alone,
    as it stands for a single image. ``seed`` makes the adapter's noise repeatable: leave it out when the
    result is to be shared, for whoever knows the seed can take the noise away.
    """
    if features.dim != adapter.dim:
        raise InputError(f"features must have the adapter's {adapter.dim} dimensions, got {features.dim}.")
    groups: list[np.ndarray] = []
    for _, kind, _, rows in features.sequences():
        groups.extend(np.array_split(rows, len(rows)) if kind == STATIC else [rows])
    groups.sort(key=len)
    generator = torch.Generator()
    if seed is None:
        generator.seed()
    else:
        generator.manual_seed(seed)
    output = np.empty_like(features.feature, dtype=np.float32)
    adapter.eval()
    device = adapter.noise_factor.device
    with torch.inference_mode():
        for batch in _batches(groups):
            padded, mask = pad_sequences([features.feature[rows] for rows in batch])
            result = adapter(padded.to(device), mask.to(device), generator=_on(generator, device)).cpu()
            output[np.concatenate(batch)] = result[mask].numpy()
    return features.with_feature(output)


def redraw(adapter: AnonymizingAdapter, features: FeatureSet, *, seed: int) -> list[FeatureSet]:
    """What an attacker who holds the adapter can make: the clips anonymized again, with noise drawn from ``seed``.

    An adapter without noise gives nothing new, and so no copies.
    """
    if not adapter.noise_factor.any():
        return []
    return [
        anonymize(adapter, features, seed=1_000_003 * (seed + 1) + number) for number in range(NUM_REDRAWS)
    ]


def _batches(groups: list[np.ndarray]):
    """Groups of similar length in batches of about ``CLIPS_PER_BATCH`` clips, padding counted."""
    batch: list[np.ndarray] = []
    for rows in groups:
        if batch and (len(batch) + 1) * len(rows) > CLIPS_PER_BATCH:
            yield batch
            batch = []
        batch.append(rows)
    if batch:
        yield batch


def _on(generator: torch.Generator, device: torch.device) -> torch.Generator:
    """The generator itself on the CPU; on another device one of its own, seeded from it."""
    if device.type == "cpu":
        return generator
    seed = int(torch.randint(2**62, (), generator=generator))
    return torch.Generator(device=device).manual_seed(seed)
