"""What `transport` has fitted, as an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.transport import TransportNetwork, hash_of
from latentveil.adapters.transport_mover import WindowMover
from latentveil.methods.releases.portions import FittedGrouping, FittedPortion


def build_adapter(
    portion: FittedPortion, short: FittedPortion | None, *, dim: int, keep_key: bool
) -> Adapter:
    """The adapter of features of ``dim`` dimensions, with its key or without.

    ``portion`` moves all videos, but for those that fit into one window of ``short``, where it is there.
    """
    space = portion.space
    size = max(one.space.size for one in (portion, short) if one is not None)
    adapter = Adapter(
        dim=dim,
        architecture="transport",
        noise_rank=size,
        noise_per="video",
        components=space.axes.shape[1],
        window=space.window,
        short=None if short is None else _short_sizes(short, keep_key=keep_key),
        **(_key_sizes(portion) if keep_key else {}),
    )
    network = adapter.network
    assert isinstance(network, TransportNetwork)
    _fill(network, mean=space.mean, axes=space.axes, still_noise=portion.still_noise)
    if keep_key:
        _fill_videos(network, portion.groupings)
    for mover, fitted in ((network, portion), (network.short, short)):
        if mover is not None and fitted is not None:
            _fill_mover(mover, fitted)
    used = portion.noise if keep_key else portion.stranger_noise
    mean_of_window = used.reshape(space.window, -1, space.size).mean(axis=0)  # (k, K)
    _fill(adapter, noise_factor=np.pad(space.axes @ mean_of_window, ((0, 0), (0, size - space.size))))
    return adapter.eval()


def _key_sizes(portion: FittedPortion) -> dict[str, Any]:
    groups = portion.groupings[0].groups
    return {
        "groupings": _grouping_sizes(portion),
        "in_turn": portion.in_turn,
        "videos": len(groups.of_video),
        "look_axes": groups.centres.shape[1],
    }


def _short_sizes(short: FittedPortion, *, keep_key: bool) -> dict[str, Any]:
    return {"window": short.space.window, "groupings": _grouping_sizes(short) if keep_key else []}


def _grouping_sizes(portion: FittedPortion) -> list[dict[str, Any]]:
    sizes = []
    for one in portion.groupings:
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
    return sizes


def _fill_videos(network: TransportNetwork, fitted: Sequence[FittedGrouping]) -> None:
    """Which videos are known, the group of each in every grouping, and how groups look."""
    looks = fitted[0].groups.looks
    names = np.array(
        sorted(fitted[0].groups.of_video, key=hash_of)
    )  # in an order that says nothing of groups
    _fill(network, videos=np.array([hash_of(str(name)) for name in names]))
    for part, one in zip(network.groupings, fitted):
        _fill(part, group_of_video=one.groups.numbers(names))
        if looks is not None:
            _fill(part, look_centres=one.groups.centres, look_radius=one.groups.radius)
    if looks is not None:
        _fill(network, look_mean=looks.mean, look_axes=looks.axes)


def _fill_mover(mover: WindowMover, portion: FittedPortion) -> None:
    """How windows are moved, and of each grouping that the key holds, how groups are."""
    _fill(
        mover,
        centre=portion.groupings[0].levelling.common,
        stranger=portion.stranger,
        noise=portion.noise,
        stranger_noise=portion.stranger_noise,
    )
    for part, one in zip(mover.groupings, portion.groupings):
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
        )


def _fill(module: nn.Module, **values: np.ndarray | torch.Tensor) -> None:
    for name, value in values.items():
        module.get_buffer(name).copy_(torch.as_tensor(value))
