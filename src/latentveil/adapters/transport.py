"""The network of `transport`: every video is moved by what is known of its group, and strangers by what all share."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from latentveil.adapters.network import GroupedNetwork, Membership, Network
from latentveil.adapters.transport_kind import KindTransport
from latentveil.config import Section
from latentveil.types import STATIC, FeatureSet


class TransportOptions(Section):
    """Sizes. ``groups``, ``maps``, ``videos`` and ``look_axes`` are of the key, and 0 where it is forgotten."""

    components: int = Field(4, ge=1)
    phases: int = Field(3, ge=1)
    still_components: int = Field(0, ge=0)
    groups: int = Field(0, ge=0)
    maps: int = Field(0, ge=0)
    still_maps: int = Field(0, ge=0)
    rounds: int = Field(0, ge=0)
    clusters: int = Field(0, ge=0)
    still_clusters: int = Field(0, ge=0)
    videos: int = Field(0, ge=0)
    look_axes: int = Field(0, ge=0)
    forgotten: bool = False


class TransportNetwork(GroupedNetwork):
    """Clips and stills with moments of their own, (B, T, D) -> (B, T, D), and the key: who belongs to which group.

    The key holds a hash of the name of each known video with its group, and the looks of each group, by which later
    videos are routed to it. Everything is a buffer: computed, not trained.
    """

    videos: Tensor
    group_of_video: Tensor
    look_mean: Tensor
    look_axes: Tensor
    look_centres: Tensor
    look_radius: Tensor

    def __init__(self, dim: int, options: TransportOptions) -> None:
        super().__init__()
        groups, axes = options.groups, options.look_axes
        self.forgotten = options.forgotten
        self.clips = KindTransport(
            dim,
            components=options.components,
            phases=options.phases,
            groups=groups,
            maps=options.maps,
            rounds=options.rounds,
            clusters=options.clusters,
        )
        self.stills = KindTransport(
            dim,
            components=options.still_components,
            phases=1,
            groups=groups if options.still_components else 0,
            maps=options.still_maps,
            rounds=options.rounds,
            clusters=options.still_clusters,
        )
        self.register_buffer("videos", torch.zeros(options.videos, dtype=torch.int64))
        self.register_buffer("group_of_video", torch.zeros(options.videos, dtype=torch.int64))
        self.register_buffer("look_mean", torch.zeros(dim if axes else 0))
        self.register_buffer("look_axes", torch.zeros(dim if axes else 0, axes))
        self.register_buffer("look_centres", torch.zeros(groups if axes else 0, axes))
        self.register_buffer("look_radius", torch.zeros(groups if axes else 0))

    def forward(self, features: Tensor, mask: Tensor, membership: Membership | None = None) -> Tensor:
        """Without ``membership`` everything is clips of strangers."""
        if membership is None:
            return self.clips(features, mask, None)
        output = torch.empty_like(features)
        for part, chosen in ((self.clips, ~membership.still), (self.stills, membership.still)):
            if chosen.any():
                output[chosen] = part(features[chosen], mask[chosen], membership.group[chosen])
        return output

    def groups_of(self, features: FeatureSet) -> dict[str, int]:
        """The group of each video: known from the fit, else the nearest by its stills, else -1, a stranger."""
        names = features.videos
        known = dict(zip(self.videos.tolist(), self.group_of_video.tolist()))
        found = {name: known.get(hash_of(name), -1) for name in names}
        strangers = [name for name in names if found[name] < 0]
        if strangers and len(self.look_centres):
            found |= self._routed(features.of_videos(strangers).of_kind(STATIC))
        return found

    def _routed(self, stills: FeatureSet) -> dict[str, int]:
        """The groups of videos whose stills look like one of them."""
        if not len(stills):
            return {}
        names, owner = np.unique(stills.video, return_inverse=True)
        mean, axes = self.look_mean.double().cpu().numpy(), self.look_axes.double().cpu().numpy()
        looks = np.zeros((len(names), axes.shape[1]))
        np.add.at(looks, owner, (stills.feature - mean) @ axes)
        looks /= np.bincount(owner)[:, None]
        centres = self.look_centres.double().cpu().numpy()
        distance = np.linalg.norm(looks[:, None] - centres[None], axis=2)  # (V, G)
        group = distance.argmin(axis=1)
        near = distance.min(axis=1) <= self.look_radius.double().cpu().numpy()[group]
        return {str(name): int(number) for name, number in zip(names[near], group[near])}


def hash_of(video: str) -> int:
    """What stands for the name of a video in a key."""
    return int.from_bytes(hashlib.sha256(video.encode()).digest()[:8], "big", signed=True)


def describe(options: TransportOptions) -> str:
    known = "its key is forgotten" if options.forgotten else f"{options.groups} groups"
    return f"transport in {options.components} components, {known}, in closed form"


KEY_SIZES = ("groups", "maps", "still_maps", "rounds", "clusters", "still_clusters", "videos", "look_axes")
network = Network(
    name="transport",
    build=TransportNetwork,
    describe=describe,
    about="Every group of videos brought to the common mean and covariance, with a fresh draw, in closed form.",
    Options=TransportOptions,
)
