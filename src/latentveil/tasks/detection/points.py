"""The points of all levels, and which of them must answer for which segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from einops import rearrange
from torch import Tensor

from latentveil.tasks.detection.config import TriDetConfig

SAME_LENGTH = 1e-3  # segments whose lengths differ by less share a point


@dataclass(frozen=True)
class Points:
    """Where each level looks, on the grid: ``position``, ``stride``, ``shortest`` and ``longest`` reach, all (P,)."""

    position: Tensor
    stride: Tensor
    shortest: Tensor
    longest: Tensor


@dataclass(frozen=True)
class DetectionTarget:
    """The segments of the videos of one batch, on the grid: per video ``segments`` (G, 2) and ``classes`` (G,)."""

    segments: Sequence[Tensor]
    classes: Sequence[Tensor]


def make_points(
    lengths: Sequence[int], config: TriDetConfig, *, device: torch.device | str = "cpu"
) -> Points:
    """The points 0, s, 2s, ... of every level with stride s; ``lengths`` says how many each level has."""
    columns = []
    for length, stride, (shortest, longest) in zip(lengths, config.strides, config.reaches, strict=True):
        position = torch.arange(length, device=device, dtype=torch.float32) * stride
        rest = torch.tensor([stride, shortest, longest], device=device, dtype=torch.float32)
        columns.append(torch.cat([position[:, None], rest.expand(length, 3)], dim=1))  # (T, 4)
    return Points(*torch.cat(columns).unbind(dim=1))


def assign_points(
    points: Points, segments: Tensor, classes: Tensor, *, num_classes: int, centre_radius: float
) -> tuple[Tensor, Tensor]:
    """Class targets (P, C), 0 or 1, and distances (P, 2) to start and end in strides, for one video.

    ``segments`` (G, 2) are on the grid, ``classes`` (G,) are indices. A point answers for a segment if it lies inside
    it, within ``centre_radius`` strides of its centre, and its farther boundary is within the level's reach. Of
    several segments the shortest counts; equally short ones share the point's class target.
    """
    if len(segments) == 0:
        size = len(points.position)
        return segments.new_zeros(size, num_classes), segments.new_zeros(size, 2)
    position = points.position[:, None]  # (P, 1)
    start, end = segments[:, 0], segments[:, 1]  # (G,)
    distances = torch.stack([position - start, end - position], dim=2)  # (P, G, 2)
    to_centre = (position - (start + end) / 2).abs()  # (P, G)
    central = to_centre < centre_radius * points.stride[:, None]
    inside = distances.amin(dim=2) > 0
    reach = distances.amax(dim=2)
    fits = (points.shortest[:, None] <= reach) & (reach <= points.longest[:, None])
    answers = central & inside & fits  # (P, G)

    lengths = torch.where(answers, end - start, torch.inf)  # (P, G)
    shortest, chosen = lengths.min(dim=1)
    shared = answers & (lengths <= shortest[:, None] + SAME_LENGTH)
    one_hot = torch.nn.functional.one_hot(classes, num_classes).to(segments.dtype)  # (G, C)
    class_target = (shared.to(segments.dtype) @ one_hot).clamp(max=1)  # (P, C)
    own = distances[torch.arange(len(distances), device=chosen.device), chosen]  # (P, 2)
    positive = rearrange(answers.any(dim=1), "p -> p 1")
    return class_target, torch.where(positive, own, 0) / points.stride[:, None]
