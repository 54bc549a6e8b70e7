"""Consecutive clips of a video moved together, by what is known of their group or, of a stranger, by what all share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from latentveil.adapters.transport_grouping import Grouping, GroupingSizes

STRANGER = -1


class WindowMover(nn.Module):
    """Moves ``window`` consecutive clips together, each of them k numbers.

    y (K,) are the W clips of a window side by side; a video that ends within one lends its last clip. What a video
    becomes is the mean over ``groupings``, or, ``in_turn``, what each makes of what the one before it made, plus noise,
    one draw for all windows of a video. A stranger, or anybody where the key is gone, becomes
    centre + (y - centre) @ stranger, and more noise. Everything is a buffer: computed, not trained.

    ``videos`` and ``look_axes`` are the sizes of what the groupings hold of known videos and of looks.
    """

    centre: Tensor
    stranger: Tensor
    noise: Tensor
    stranger_noise: Tensor

    def __init__(
        self,
        components: int,
        window: int,
        *,
        groupings: Sequence[GroupingSizes],
        in_turn: bool = False,
        videos: int = 0,
        look_axes: int = 0,
    ) -> None:
        super().__init__()
        size = components * window
        self.window, self.in_turn = window, in_turn
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("stranger", torch.zeros(size, size))
        self.register_buffer("noise", torch.zeros(size, size))
        self.register_buffer("stranger_noise", torch.zeros(size, size))
        self.parts = nn.ModuleList(
            Grouping(size, sizes, videos=videos, look_axes=look_axes) for sizes in groupings
        )

    @property
    def groupings(self) -> list[Grouping]:
        """The ways to group videos that the key holds."""
        return [part for part in self.parts if isinstance(part, Grouping)]

    def move(self, places: Tensor, mask: Tensor, group: Tensor, noise: Tensor) -> Tensor:
        """Clips ``places`` (B, T, k) of videos of the groups ``group`` (B, C), moved; ``noise`` is (B, T, R)."""
        videos, clips, components = places.shape
        number, size = -(-clips // self.window), len(self.centre)  # of windows, N; and of numbers in one, K
        last = mask.sum(dim=1, keepdim=True) - 1
        place = torch.arange(number * self.window, device=places.device).minimum(last)  # (B, N W)
        windows = places.take_along_dim(place[..., None], dim=1)  # (B, N W, k)
        vectors = windows.reshape(videos * number, size)
        moved = self.centre + (vectors - self.centre) @ self.stranger
        if self.groupings:
            moved = self._by_group(vectors, group.repeat_interleave(number, dim=0), moved)
        factor = self.noise if self.groupings else self.stranger_noise
        moved = moved.view(videos, number, size) + first_draw(noise, size) @ factor.T
        return moved.view(videos, number * self.window, components)[:, :clips]

    def _by_group(self, vectors: Tensor, group: Tensor, by_itself: Tensor) -> Tensor:
        """Vectors (N, K) of the groups ``group`` (N, C), moved; of strangers ``by_itself`` (N, K) is."""
        if not self.in_turn:
            found = [part(vectors, own, by_itself) for part, own in zip(self.groupings, group.T)]
            return torch.stack(found).mean(dim=0)
        for part, own in zip(self.groupings, group.T):
            vectors = by_itself = part(vectors, own, by_itself)
        return vectors


def first_draw(noise: Tensor, size: int) -> Tensor:
    """Of ``noise`` (B, T, R) the first draw of each sequence, cut to ``size`` numbers or filled up with zeros."""
    return functional.pad(noise[:, :1], (0, size - noise.shape[2]))
