"""From TriDet's dense outputs to segments on the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.model import LevelOutput


@dataclass(frozen=True)
class Candidates:
    """One video before suppression: ``segments`` (N, 2) on the grid, their ``scores`` and ``classes`` (N,)."""

    segments: Tensor
    scores: Tensor
    classes: Tensor


def boundary_distances(output: LevelOutput, video: Tensor, time: Tensor, label: Tensor) -> Tensor:
    """The expected distances (K, 2), in strides, from points to start and end of a segment of their class.

    ``video``, ``time`` and ``label`` (K,) index a level's points and classes. The distance to the start is the mean of
    0 ... bins under the softmax of the start responses at and before the point plus the point's own offsets; the
    same to the other side for the end. Before the first and after the last instant a response is 0.
    """
    num_bins = output.offsets.shape[2] - 1
    steps = torch.arange(num_bins + 1, device=time.device)  # (bins + 1,)
    around = time[:, None] + steps  # (K, bins + 1)
    start = F.pad(output.start, (num_bins, 0))[video[:, None], label[:, None], around]  # oldest first
    end = F.pad(output.end, (0, num_bins))[video[:, None], label[:, None], around]
    offsets = output.offsets[video, :, :, time]  # (K, 2, bins + 1)
    chances = (torch.stack([start, end], dim=1) + offsets).softmax(dim=2)  # (K, 2, bins + 1)
    values = torch.stack([num_bins - steps, steps]).to(chances.dtype)  # (2, bins + 1)
    return (chances * values).sum(dim=2)


def find_candidates(outputs: Sequence[LevelOutput], config: TriDetConfig) -> list[Candidates]:
    """The best-scored segments of each video of a batch, before suppression."""
    num_videos = len(outputs[0].mask)
    parts = [[_level_candidates(output, video, config) for output in outputs] for video in range(num_videos)]
    return [
        Candidates(
            segments=torch.cat([part.segments for part in levels]),
            scores=torch.cat([part.scores for part in levels]),
            classes=torch.cat([part.classes for part in levels]),
        )
        for levels in parts
    ]


def _level_candidates(output: LevelOutput, video: int, config: TriDetConfig) -> Candidates:
    scores = (output.logits[video].sigmoid() * output.mask[video]).T  # (T, C)
    time, label = torch.nonzero(scores > config.candidate_score, as_tuple=True)
    scores = scores[time, label]
    best = scores.argsort(descending=True, stable=True)[: config.candidates_per_level]
    scores, time, label = scores[best], time[best], label[best]
    distances = boundary_distances(output, torch.full_like(time, video), time, label)
    segments = output.stride * torch.stack([time - distances[:, 0], time + distances[:, 1]], dim=1)  # (N, 2)
    kept = segments[:, 1] - segments[:, 0] > config.shortest_segment
    return Candidates(segments=segments[kept], scores=scores[kept], classes=label[kept])
