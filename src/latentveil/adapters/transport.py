"""The network of `transport`: every video is moved by what is known of its group, and strangers by what all share."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from latentveil.adapters.network import GroupedNetwork, Membership, Network
from latentveil.adapters.transport_grouping import Grouping, GroupingSizes
from latentveil.config import Section
from latentveil.errors import InputError
from latentveil.types import STATIC, FeatureSet

STRANGER = -1


class TransportOptions(Section):
    """Sizes. ``groupings``, ``videos`` and ``look_axes`` are of the key, and nothing where it is forgotten.

    ``forgotten_from`` is then the checksum of the weights with the key, by which what they made is known again.
    """

    components: int = Field(4, ge=1)
    window: int = Field(3, ge=1)
    groupings: tuple[GroupingSizes, ...] = ()
    videos: int = Field(0, ge=0)
    look_axes: int = Field(0, ge=0)
    forgotten: bool = False
    forgotten_from: str | None = None


KEY = {"groupings": (), "videos": 0, "look_axes": 0}  # the sizes of a key that is forgotten


class TransportNetwork(GroupedNetwork):
    """Moves ``window`` consecutive clips together, (B, T, D) -> (B, T, D), in the leading components of the features.

    y (K,) are the W clips of a window in k components, side by side; a video that ends within one lends its last clip.
    What a video becomes is the mean over ``groupings``, plus noise, one draw for all windows of a video. A stranger,
    or anybody where the key is gone, becomes centre + (y - centre) @ stranger, and more noise. Other components are
    those of the mean. Of a still nothing is left: it becomes a draw of what clips are.

    The key holds a hash of the name of each known video with its groups, the looks of each group, by which later
    videos are routed to it, and references. Everything is a buffer: computed, not trained.
    """

    mean: Tensor
    axes: Tensor
    centre: Tensor
    stranger: Tensor
    noise: Tensor
    stranger_noise: Tensor
    still_noise: Tensor
    videos: Tensor
    look_mean: Tensor
    look_axes: Tensor

    def __init__(self, dim: int, options: TransportOptions) -> None:
        super().__init__()
        components, axes = options.components, options.look_axes
        if components > dim:
            raise InputError(
                f"components must be at most the {dim} dimensions of features, got {components}."
            )
        size = components * options.window
        self.window = options.window
        self.forgotten = options.forgotten
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("axes", torch.zeros(dim, components))
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("stranger", torch.zeros(size, size))
        self.register_buffer("noise", torch.zeros(size, size))
        self.register_buffer("stranger_noise", torch.zeros(size, size))
        self.register_buffer("still_noise", torch.zeros(components, size))
        self.register_buffer("videos", torch.zeros(options.videos, dtype=torch.int64))
        self.register_buffer("look_mean", torch.zeros(dim if axes else 0))
        self.register_buffer("look_axes", torch.zeros(dim if axes else 0, axes))
        self.parts = nn.ModuleList(
            Grouping(size, sizes, videos=options.videos, look_axes=axes) for sizes in options.groupings
        )

    @property
    def groupings(self) -> list[Grouping]:
        """The ways to group videos that the key holds."""
        return [part for part in self.parts if isinstance(part, Grouping)]

    def forward(
        self,
        features: Tensor,
        mask: Tensor,
        membership: Membership | None = None,
        noise: Tensor | None = None,
    ) -> Tensor:
        """Without ``membership`` everything is clips of strangers; ``noise`` is standard normal.

        Of noise (B, T, R) the first draw of each sequence is taken, cut to K numbers or filled up with zeros.
        """
        size = len(self.centre)
        if noise is None:
            noise = features.new_zeros(len(features), 1, size)
        noise = functional.pad(noise[:, :1], (0, size - noise.shape[2]))
        places = self._move_clips((features - self.mean) @ self.axes, mask, membership, noise)
        if membership is not None:
            places = torch.where(membership.still[:, None, None], noise @ self.still_noise.T, places)
        return places @ self.axes.T + self.mean

    def _move_clips(
        self, places: Tensor, mask: Tensor, membership: Membership | None, noise: Tensor
    ) -> Tensor:
        """Clips (B, T, k) in the components, moved."""
        clips = places.shape[1]
        number = -(-clips // self.window)  # of windows, N
        last = mask.sum(dim=1, keepdim=True) - 1
        place = torch.arange(number * self.window, device=places.device).minimum(last)  # (B, N W)
        windows = places.take_along_dim(place[..., None], dim=1)  # (B, N W, k)
        vectors = windows.reshape(len(places) * number, -1)  # (B N, K)
        moved = self.centre + (vectors - self.centre) @ self.stranger
        if self.groupings:
            group = torch.full((len(places), len(self.groupings)), STRANGER, device=places.device)
            if membership is not None:
                group = membership.group
            group = group.repeat_interleave(number, dim=0)  # (B N, C)
            found = [part(vectors, own, moved) for part, own in zip(self.groupings, group.T)]
            moved = torch.stack(found).mean(dim=0)
        factor = self.noise if self.groupings else self.stranger_noise
        moved = moved.view(len(places), number, -1) + noise @ factor.T
        return moved.view(len(places), number * self.window, -1)[:, :clips]

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


def hash_of(video: str) -> int:
    """What stands for the name of a video in a key."""
    return int.from_bytes(hashlib.sha256(video.encode()).digest()[:8], "big", signed=True)


def describe(options: TransportOptions) -> str:
    sizes = " and ".join(str(found.groups) for found in options.groupings)
    known = "its key is forgotten" if options.forgotten else f"{sizes or 'no'} groups"
    return f"transport in {options.components} components, {known}, in closed form"


network = Network(
    name="transport",
    build=TransportNetwork,
    describe=describe,
    about="Every video levelled by its group and moved to the middle of all groups, with fresh draws, in closed form.",
    Options=TransportOptions,
)
