"""Overlap of time segments that share an anchor: each is given by its distances to the left and to the right of it."""

from __future__ import annotations

import torch
from torch import Tensor

EPSILON = 1e-8


def anchored_iou(predicted: Tensor, target: Tensor) -> Tensor:
    """The intersection over union (N,) of segments given as distances (N, 2) >= 0 to both sides of one anchor each."""
    intersection = torch.minimum(predicted, target).sum(dim=-1)
    hull = torch.maximum(predicted, target).sum(dim=-1)  # the union too, since both contain the anchor
    return intersection / hull.clamp(min=EPSILON)


def iou_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """The summed 1 - IoU of distances (N, 2); the generalised IoU is the same here, since hull and union are one."""
    return (1 - anchored_iou(predicted, target)).sum()


def distance_iou_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """The summed DIoU loss, 1 - IoU + (shift of the centre / length of the hull)^2, of distances (N, 2)."""
    hull = torch.maximum(predicted, target).sum(dim=-1).clamp(min=EPSILON)
    difference = predicted - target
    shift = (difference[..., 1] - difference[..., 0]) / 2
    return (1 - anchored_iou(predicted, target) + (shift / hull) ** 2).sum()
