"""One way to group the videos of a release: each is levelled by its group, then moved to the middle of all groups."""

from __future__ import annotations

import torch
from pydantic import Field
from torch import Tensor, nn

from latentveil.config import Section

# Vectors nearer to each other than this share of their squared lengths are one and the same, but for rounding.
SAME = 1e-5


class GroupingSizes(Section):
    """How many groups there are, and of how many groups so many ``references`` each are kept (0: none).

    ``stretched`` is the number of directions, of all groups together, in which a group's covariance is changed, ``own``
    how much a video counts as its own like (`barycentre`).
    """

    groups: int = Field(ge=1)
    stretched: int = Field(0, ge=0)
    reference_groups: int = Field(0, ge=0)
    references: int = Field(0, ge=0)
    own: float = Field(1.0, ge=0, le=1)


class Grouping(nn.Module):
    """What the key holds of one grouping; everything is a buffer: computed, not trained.

    A vector y (K,) of group g is levelled: of z = y - group_mean[g] remains scale[g] * z + z @ source.T @ target, with
    those rows of source and target (R, K) that are the group's, and placed[g] is added. Where scale[g] is 0, the fit
    had no videos of the group, and y is moved as a stranger. Then it is replaced by the mean, over the groups with
    references, of where each of them shows the like of it.
    """

    group_mean: Tensor
    scale: Tensor
    first_row: Tensor
    source: Tensor
    target: Tensor
    placed: Tensor
    references: Tensor
    is_reference: Tensor
    temperature: Tensor
    group_of_video: Tensor
    look_centres: Tensor
    look_radius: Tensor

    def __init__(self, size: int, sizes: GroupingSizes, *, videos: int, look_axes: int) -> None:
        super().__init__()
        groups, kept = sizes.groups, (sizes.reference_groups, sizes.references)
        self.own = sizes.own
        self.register_buffer("group_mean", torch.zeros(groups, size))
        self.register_buffer("scale", torch.ones(groups))
        self.register_buffer("first_row", torch.zeros(groups + 1, dtype=torch.int64))
        self.register_buffer("source", torch.zeros(sizes.stretched, size))
        self.register_buffer("target", torch.zeros(sizes.stretched, size))
        self.register_buffer("placed", torch.zeros(groups, size))
        self.register_buffer("references", torch.zeros(*kept, size))
        self.register_buffer("is_reference", torch.zeros(*kept, dtype=torch.bool))
        self.register_buffer("temperature", torch.ones(()))
        self.register_buffer("group_of_video", torch.zeros(videos, dtype=torch.int64))
        self.register_buffer("look_centres", torch.zeros(groups if look_axes else 0, look_axes))
        self.register_buffer("look_radius", torch.zeros(groups if look_axes else 0))

    def forward(self, vectors: Tensor, group: Tensor, by_itself: Tensor) -> Tensor:
        """Vectors (N, K) of the groups ``group`` (N,), moved; of -1, a stranger, ``by_itself`` (N, K) is."""
        moved = by_itself.clone()
        for number in group[group >= 0].unique():
            if self.scale[number] == 0:
                continue
            own = group == number
            away = vectors[own] - self.group_mean[number]
            rows = slice(*self.first_row[number : number + 2].tolist())
            stretched = self.scale[number] * away + away @ self.source[rows].T @ self.target[rows]
            moved[own] = stretched + self.placed[number]
        if not self.references.numel():
            return moved
        return barycentre(
            moved, self.references, self.is_reference, temperature=self.temperature, own=self.own
        )


def barycentre(
    vectors: Tensor,
    references: Tensor,
    is_reference: Tensor,
    *,
    temperature: Tensor | float,
    own: float = 1.0,
) -> Tensor:
    """The mean over groups of the like of ``vectors`` (N, K) in each: (N, K).

    The like of a vector in a group is the mean of its ``references`` (G, n, K), where ``is_reference`` (G, n), weighed
    by exp(-squared distance / temperature): entropic transport without a rule of how much of a group is to be used, so
    that a group which shows other things gives the nearest that it has.

    A vector that is a reference is the best like of itself. Where ``own`` is 1 that counts: its group gives the vector
    itself and every other group a neighbour, so that likes of different groups meet and those of one group keep apart.
    Where it is 0 its group gives another like, too; in between, something of both.
    """
    flat = references.flatten(0, 1)  # (G n, K)
    squares = flat.square().sum(dim=1)
    products = (
        2 * vectors @ flat.T - squares
    )  # (N, G n): minus the squared distance, but for that of the vector
    nearness = (products / temperature).unflatten(1, is_reference.shape)
    middle = _mean_of_likes(nearness, is_reference.expand_as(nearness), flat)
    if own == 1:
        return middle
    length = vectors.square().sum(dim=1, keepdim=True)
    another = (length - products > SAME * (length + squares)).unflatten(1, is_reference.shape) & is_reference
    return own * middle + (1 - own) * _mean_of_likes(nearness, another, flat)


def _mean_of_likes(nearness: Tensor, is_like: Tensor, flat: Tensor) -> Tensor:
    """The mean (N, K) over groups of their likes ``flat`` (G n, K); groups without one do not count.

    ``nearness`` and ``is_like`` are (N, G, n). Where no group has a like, it is 0, the centre of all groups.
    """
    weights = nearness.masked_fill(~is_like, torch.finfo(nearness.dtype).min).softmax(dim=2) * is_like
    counted = is_like.any(dim=2).sum(dim=1).clamp(min=1)  # (N,)
    return weights.flatten(1) @ flat / counted[:, None]
