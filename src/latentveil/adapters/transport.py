"""The network of `transport`: every video is moved by what is known of its group, and strangers by what all share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from latentveil.adapters.network import GroupedNetwork, Membership, Network
from latentveil.adapters.transport_grouping import GroupingSizes
from latentveil.adapters.transport_mover import STRANGER, WindowMover, first_draw
from latentveil.config import Section
from latentveil.errors import InputError
from latentveil.types import STATIC, FeatureSet


class ShortSizes(Section):
    """How videos of at most ``window`` clips are moved, where longer ones are moved by other windows.

    ``groupings`` are the same as those of all videos, but for what is kept of each.
    """

    window: int = Field(ge=1)
    groupings: tuple[GroupingSizes, ...] = ()


class TransportOptions(Section):
    """Sizes. ``groupings``, ``videos`` and ``look_axes`` are of the key, and nothing where it is forgotten.

    With ``in_turn`` groupings are done one after the other. ``short`` is there where short videos are moved by windows
    of their own. ``forgotten_from`` is the checksum of the weights with the key, where it is forgotten, by which what
    they made is known again.
    """

    components: int = Field(4, ge=1)
    window: int = Field(3, ge=1)
    short: ShortSizes | None = None
    groupings: tuple[GroupingSizes, ...] = ()
    in_turn: bool = False
    videos: int = Field(0, ge=0)
    look_axes: int = Field(0, ge=0)
    forgotten: bool = False
    forgotten_from: str | None = None


def sizes_without_key(config: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes of ``config`` that are other ones where the key is forgotten."""
    short = config["short"] and {**config["short"], "groupings": ()}
    return {"short": short, "groupings": (), "videos": 0, "look_axes": 0}


class TransportNetwork(WindowMover, GroupedNetwork):
    """Moves windows of clips, (B, T, D) -> (B, T, D), in the leading components of the features (see `WindowMover`).

    Other components are those of the mean. Of a still nothing is left: it becomes a draw of what clips are. The
    network itself moves all videos, but for those that fit into one window of ``short``, where it is there.

    The key holds a hash of the name of each known video with its groups, the looks of each group, by which later
    videos are routed to it, and references.
    """

    mean: Tensor
    axes: Tensor
    still_noise: Tensor
    videos: Tensor
    look_mean: Tensor
    look_axes: Tensor

    def __init__(self, dim: int, options: TransportOptions) -> None:
        components, axes = options.components, options.look_axes
        if components > dim:
            raise InputError(
                f"components must be at most the {dim} dimensions of features, got {components}."
            )
        super().__init__(
            components,
            options.window,
            groupings=options.groupings,
            in_turn=options.in_turn,
            videos=options.videos,
            look_axes=axes,
        )
        self.forgotten = options.forgotten
        self.short = None if options.short is None else _short_mover(components, options)
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("axes", torch.zeros(dim, components))
        self.register_buffer("still_noise", torch.zeros(components, components * options.window))
        self.register_buffer("videos", torch.zeros(options.videos, dtype=torch.int64))
        self.register_buffer("look_mean", torch.zeros(dim if axes else 0))
        self.register_buffer("look_axes", torch.zeros(dim if axes else 0, axes))

    def forward(
        self,
        features: Tensor,
        mask: Tensor,
        membership: Membership | None = None,
        noise: Tensor | None = None,
    ) -> Tensor:
        """Without ``membership`` everything is clips of strangers; ``noise`` (B, T, R) is standard normal."""
        if noise is None:
            noise = features.new_zeros(len(features), 1, 1)
        group = torch.full((len(features), max(1, len(self.groupings))), STRANGER, device=features.device)
        if membership is not None:
            group = membership.group
        places = self._move((features - self.mean) @ self.axes, mask, group, noise)
        if membership is not None:
            drawn = first_draw(noise, self.still_noise.shape[1]) @ self.still_noise.T
            places = torch.where(membership.still[:, None, None], drawn, places)
        return places @ self.axes.T + self.mean

    def _move(self, places: Tensor, mask: Tensor, group: Tensor, noise: Tensor) -> Tensor:
        """Clips (B, T, k) in the components, moved, each video by the windows for its length."""
        if self.short is None:
            return self.move(places, mask, group, noise)
        moved = torch.empty_like(places)
        is_short = mask.sum(dim=1) <= self.short.window
        for mover, own in ((self.short, is_short), (self, ~is_short)):
            moved[own] = mover.move(places[own], mask[own], group[own], noise[own])
        return moved

    def groups_of(self, features: FeatureSet) -> dict[str, tuple[int, ...]]:
        """The group of each video in each grouping: known from the fit, else nearest by its stills, else a stranger."""
        names = features.videos
        nowhere = (STRANGER,) * max(1, len(self.groupings))
        if not self.groupings:
            return dict.fromkeys(names, nowhere)
        groups = torch.stack([part.group_of_video for part in self.groupings], dim=1).tolist()
        known = dict(zip(self.videos.tolist(), map(tuple, groups)))
        found = {name: known.get(hash_of(name), nowhere) for name in names}
        strangers = [name for name in names if found[name] == nowhere]
        if strangers and self.look_axes.numel():
            found |= self._routed(features.of_videos(strangers).of_kind(STATIC))
        return found

    def _routed(self, stills: FeatureSet) -> dict[str, tuple[int, ...]]:
        """The groups of videos by their stills; none where they look like none."""
        if not len(stills):
            return {}
        names, owner = np.unique(stills.video, return_inverse=True)
        mean, axes = self.look_mean.double().cpu().numpy(), self.look_axes.double().cpu().numpy()
        looks = np.zeros((len(names), axes.shape[1]))
        np.add.at(looks, owner, (stills.feature - mean) @ axes)
        looks /= np.bincount(owner)[:, None]
        groups = []
        for part in self.groupings:
            centres = part.look_centres.double().cpu().numpy()
            distance = np.linalg.norm(looks[:, None] - centres[None], axis=2)  # (V, G)
            group = distance.argmin(axis=1)
            near = distance.min(axis=1) <= part.look_radius.double().cpu().numpy()[group]
            groups.append(np.where(near, group, STRANGER))
        return dict(zip(names.tolist(), map(tuple, np.stack(groups, axis=1).tolist())))


def _short_mover(components: int, options: TransportOptions) -> WindowMover:
    """That of short videos: which videos are known, and of which groups, the network itself holds."""
    assert options.short is not None
    counts, known = ([one.groups for one in found.groupings] for found in (options.short, options))
    if counts != known:
        raise InputError(f"short.groupings must be of {known} groups as groupings are, got {counts}.")
    return WindowMover(
        components, options.short.window, groupings=options.short.groupings, in_turn=options.in_turn
    )


def hash_of(video: str) -> int:
    """What stands for the name of a video in a key."""
    return int.from_bytes(hashlib.sha256(video.encode()).digest()[:8], "big", signed=True)


def describe(options: TransportOptions) -> str:
    sizes = " and ".join(str(found.groups) for found in options.groupings)
    known = "its key is forgotten" if options.forgotten else f"{sizes or 'no'} groups"
    short = f", videos of up to {options.short.window} clips whole" if options.short else ""
    return f"transport in {options.components} components{short}, {known}, in closed form"


network = Network(
    name="transport",
    build=TransportNetwork,
    describe=describe,
    about="Every video levelled by its group and moved to the middle of all groups, with fresh draws, in closed form.",
    Options=TransportOptions,
)
