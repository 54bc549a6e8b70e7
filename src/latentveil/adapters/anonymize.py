"""An adapter applied to clip features in memory, video by video."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.network import GroupedNetwork, Membership
from latentveil.errors import InputError
from latentveil.sequences import pad_sequences
from latentveil.types import STATIC, FeatureSet

CLIPS_PER_BATCH = 1024
NUM_REDRAWS = 4


def anonymize(
    adapter: Adapter,
    features: FeatureSet,
    *,
    seed: int | None = None,
    clips_per_batch: int = CLIPS_PER_BATCH,
    alone: bool = False,
) -> FeatureSet:
    """The same clips with anonymized features.

    The temporal clips of a video (of one view) go through together, in time order; each static clip goes alone,
    as it stands for a single image. Noise per video is one draw for all of a video's clips and one for all of its
    stills, or averaging would take it away. ``seed`` makes the adapter's noise repeatable: leave it out when the
    result is to be shared, for whoever tries all seeds can take the noise away. The noise of a seed depends on
    ``clips_per_batch``, too; batches of 256 take a quarter of the memory of the usual ones, and as long.

    An adapter that attends over the batch (the public code's) mixes the videos that happen to share one. That code does
    so for action recognition and for stills, and passes each video to detect something in ``alone``.
    """
    if features.dim != adapter.dim:
        raise InputError(f"features must have the adapter's {adapter.dim} dimensions, got {features.dim}.")
    # any whole number is a seed here
    generator = None if seed is None else torch.Generator().manual_seed(seed % (1 << 63))
    groups, owners = _groups(features)
    membership = _membership(adapter, features, groups)
    shared = None  # (videos, 1, R): what all clips, stills or views of one video get
    if adapter.config["noise_per"] == "video":
        shared = adapter.draw_noise(int(owners.max(initial=-1)) + 1, 1, generator=generator)
    output = np.empty_like(features.feature)
    adapter.eval()
    device = adapter.noise_factor.device
    with torch.inference_mode():
        for batch in _batches(groups, clips_per_batch):
            padded, mask = pad_sequences([features.feature[groups[number]] for number in batch])
            noise = (
                adapter.draw_noise(*mask.shape, generator=generator)
                if shared is None
                else shared[owners[batch]]
            )
            part = None if membership is None else membership.select(batch).to(device)
            result = adapter(
                padded.to(device), mask.to(device), alone=alone, noise=noise.to(device), membership=part
            ).cpu()
            output[np.concatenate([groups[number] for number in batch])] = result[mask].numpy()
    return features.with_feature(output)


def redraw(adapter: Adapter, features: FeatureSet, *, seed: int) -> list[FeatureSet]:
    """What an attacker who holds the adapter can make: the clips anonymized again, with noise drawn from ``seed``.

    An adapter without noise gives nothing new, and so no copies.
    """
    if not adapter.draws_noise:
        return []
    return [
        anonymize(adapter, features, seed=1_000_003 * (seed + 1) + number) for number in range(NUM_REDRAWS)
    ]


def remake(adapter: Adapter, features: FeatureSet, *, seed: int) -> list[FeatureSet]:
    """What an attacker who holds the adapter makes of raw videos: several draws, or one where it draws nothing."""
    return redraw(adapter, features, seed=seed) or [anonymize(adapter, features, seed=seed)]


def most_under_one_draw(features: FeatureSet) -> int:
    """How many stills, or views, of one video get the same draw of noise per video: their differences show none."""
    _, owners = _groups(features)
    return int(np.bincount(owners).max(initial=0))


def _groups(features: FeatureSet) -> tuple[list[np.ndarray], np.ndarray]:
    """The rows that go through the adapter together, shortest first, and the number of the owner of each group.

    An owner is a video's clips or a video's stills, all views of them.
    """
    numbers: dict[tuple[str, str], int] = {}
    groups: list[np.ndarray] = []
    owners: list[int] = []
    for video, kind, _, rows in features.sequences():
        parts = np.array_split(rows, len(rows)) if kind == STATIC else [rows]
        groups += parts
        owners += [numbers.setdefault((video, kind), len(numbers))] * len(parts)
    order = np.argsort([len(rows) for rows in groups], kind="stable")
    return [groups[number] for number in order], np.array(owners, dtype=np.int64)[order]


def _membership(adapter: Adapter, features: FeatureSet, groups: list[np.ndarray]) -> Membership | None:
    """Where each of the rows that go through together belongs; None for a network to which this means nothing."""
    if not isinstance(adapter.network, GroupedNetwork):
        return None
    found = adapter.network.groups_of(features)
    first = [rows[0] for rows in groups]
    group = torch.tensor([found[str(video)] for video in features.video[first]], dtype=torch.int64)
    return Membership(group, torch.as_tensor(features.kind[first] == STATIC))


def _batches(groups: list[np.ndarray], max_clips: int) -> Iterator[list[int]]:
    """Numbers of groups, sorted by length: batches of at most ``max_clips`` clips, padding counted, or of one group."""
    batch: list[int] = []
    for number, rows in enumerate(groups):
        if batch and (len(batch) + 1) * len(rows) > max_clips:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
