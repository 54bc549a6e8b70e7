"""Transport of one kind of clips: a video's phases, moved together, in the leading components of the features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from latentveil.errors import InputError
from latentveil.sequences import phase_weights


class KindTransport(nn.Module):
    """Moves a sequence by moving the means of its phases; how its clips differ from those within a phase stays.

    y (P k,) are the means of P phases in k components, side by side. A video of group g becomes
    (y - group_mean[g]) @ maps[map_of_group[g]] + placed[g], plus ``added`` of its group and of the motion cluster that
    is nearest then, round after round. A stranger becomes centre + (y - centre) @ stranger. Other components are
    those of the mean.
    """

    mean: Tensor
    axes: Tensor
    centre: Tensor
    stranger: Tensor
    group_mean: Tensor
    map_of_group: Tensor
    maps: Tensor
    placed: Tensor
    cluster_centres: Tensor
    added: Tensor

    def __init__(
        self, dim: int, *, components: int, phases: int, groups: int, maps: int, rounds: int, clusters: int
    ) -> None:
        super().__init__()
        if components > dim:
            raise InputError(
                f"components must be at most the {dim} dimensions of features, got {components}."
            )
        size = components * phases
        self.phases = phases
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("axes", torch.zeros(dim, components))
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("stranger", torch.zeros(size, size))
        self.register_buffer("group_mean", torch.zeros(groups, size))
        self.register_buffer("map_of_group", torch.zeros(groups, dtype=torch.int64))
        self.register_buffer("maps", torch.zeros(maps, size, size))
        self.register_buffer("placed", torch.zeros(groups, size))
        self.register_buffer("cluster_centres", torch.zeros(rounds, clusters, size))
        self.register_buffer("added", torch.zeros(rounds, groups, clusters, size))

    def forward(self, features: Tensor, mask: Tensor, group: Tensor | None) -> Tensor:
        """Sequences (B, T, D) with mask (B, T) of the groups ``group`` (B,), -1 for strangers; None: all are."""
        if not self.axes.shape[1]:
            raise InputError(
                "the adapter must be fitted on stills to be applied to stills, got an adapter of clips alone. "
                "Fit it on a store with stills, or leave them out."
            )
        places = (features - self.mean) @ self.axes  # (B, T, k)
        weights = phase_weights(mask, self.phases).to(places.dtype)  # (B, P, T)
        phases = weights @ places / weights.sum(dim=2, keepdim=True)  # (B, P, k)
        moved = self._move(phases.flatten(1), group).view_as(phases) - phases
        of_clip = weights.transpose(1, 2)  # (B, T, P)
        shift = of_clip @ moved / of_clip.sum(dim=2, keepdim=True).clamp_min(1)
        return (places + shift) @ self.axes.T + self.mean

    def _move(self, vectors: Tensor, group: Tensor | None) -> Tensor:
        """The vectors (B, P k) of videos after both levels."""
        output = self.centre + (vectors - self.centre) @ self.stranger
        if group is None:
            return output
        for number in group[group >= 0].unique():
            own = group == number
            moved = (vectors[own] - self.group_mean[number]) @ self.maps[self.map_of_group[number]]
            moved = moved + self.placed[number]
            for centres, added in zip(self.cluster_centres, self.added):
                if len(centres):
                    closeness = 2 * moved @ centres.T - centres.square().sum(dim=1)
                    moved = moved + added[number, closeness.argmax(dim=1)]
            output[own] = moved
        return output
