"""What `transport` has fitted, as an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.transport import TransportNetwork, hash_of
from latentveil.methods.transport_barycentre import References
from latentveil.methods.transport_groups import Groups
from latentveil.methods.transport_levelling import Levelling
from latentveil.methods.transport_windows import Space


@dataclass(frozen=True, eq=False)
class FittedGrouping:
    """One way to group the videos, and how they are levelled and moved to the middle."""

    groups: Groups
    levelling: Levelling
    references: References

    def apply(self, vectors: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The vectors (N, K) of the groups ``group`` (N,), without noise."""
        return self.references.middle(self.levelling.apply(vectors, group))

    def counting_itself(self, own: float) -> FittedGrouping:
        """The same where a video counts as its own like by ``own``."""
        return replace(self, references=replace(self.references, own=own))


@dataclass(frozen=True, eq=False)
class Shared:
    """What all videos share: the factors (K, K) of the noise, and the factor (k, K) of what stands for a still."""

    space: Space
    noise: np.ndarray
    still_noise: np.ndarray
    strength: float
    draw: float


def build_adapter(shared: Shared, fitted: Sequence[FittedGrouping], *, dim: int, keep_key: bool) -> Adapter:
    """The adapter of features of ``dim`` dimensions, with its key or without."""
    key = _key_sizes(fitted) if keep_key else {}
    size, components = shared.space.size, shared.space.axes.shape[1]
    adapter = Adapter(
        dim=dim,
        architecture="transport",
        noise_rank=size,
        noise_per="video",
        components=components,
        window=shared.space.window,
        **key,
    )
    network = adapter.network
    assert isinstance(network, TransportNetwork)
    stranger, stranger_noise = _by_itself(fitted[0].levelling, shared)
    _fill(
        network,
        mean=shared.space.mean,
        axes=shared.space.axes,
        centre=fitted[0].levelling.common,
        stranger=stranger,
        noise=shared.noise,
        stranger_noise=stranger_noise,
        still_noise=shared.still_noise,
    )
    if keep_key:
        _fill_key(network, fitted)
    used = shared.noise if keep_key else stranger_noise
    mean_of_window = used.reshape(shared.space.window, components, size).mean(axis=0)  # (k, K)
    _fill(adapter, noise_factor=shared.space.axes @ mean_of_window)
    return adapter.eval()


def _key_sizes(fitted: Sequence[FittedGrouping]) -> dict[str, Any]:
    groups = fitted[0].groups
    sizes = []
    for one in fitted:
        reference_groups, references = one.references.is_reference.shape
        sizes.append(
            {
                "groups": one.groups.count,
                "stretched": sum(len(stretch.source) for stretch in one.levelling.stretches),
                "reference_groups": reference_groups,
                "references": references,
                "own": one.references.own,
            }
        )
    return {"groupings": sizes, "videos": len(groups.of_video), "look_axes": groups.centres.shape[1]}


def _by_itself(levelling: Levelling, shared: Shared) -> tuple[np.ndarray, np.ndarray]:
    """The map (K, K) of a video that belongs to no group, as if to one of its own, and the factor of its noise."""
    spectrum = levelling.spectrum
    gone, variance = spectrum.shares(1.0, strength=shared.strength)
    noise = spectrum.colour.T * (shared.draw * np.sqrt(variance))
    return spectrum.whiten * (1 - gone) @ spectrum.colour, noise


def _fill_key(network: TransportNetwork, fitted: Sequence[FittedGrouping]) -> None:
    groups = fitted[0].groups
    names = np.array(sorted(groups.of_video, key=hash_of))  # in an order that says nothing of groups
    _fill(network, videos=np.array([hash_of(str(name)) for name in names]))
    if groups.looks is not None:
        _fill(network, look_mean=groups.looks.mean, look_axes=groups.looks.axes)
    for part, one in zip(network.groupings, fitted):
        stretches = one.levelling.stretches
        _fill(
            part,
            group_mean=one.levelling.means,
            scale=np.array([stretch.scale for stretch in stretches]),
            first_row=np.cumsum([0, *(len(stretch.source) for stretch in stretches)]),
            source=np.concatenate([stretch.source for stretch in stretches]),
            target=np.concatenate([stretch.target for stretch in stretches]),
            placed=one.levelling.placed,
            references=one.references.vector,
            is_reference=one.references.is_reference,
            temperature=np.array(one.references.temperature),
            group_of_video=one.groups.numbers(names),
            look_centres=one.groups.centres if groups.looks is not None else part.look_centres,
            look_radius=one.groups.radius if groups.looks is not None else part.look_radius,
        )


def _fill(module: nn.Module, **values: np.ndarray | torch.Tensor) -> None:
    for name, value in values.items():
        module.get_buffer(name).copy_(torch.as_tensor(value))
