"""TriDet's training loss: focal classification weighted by boundary quality, and DIoU of the boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from latentveil.losses.focal import focal_loss
from latentveil.losses.iou import anchored_iou, distance_iou_loss, iou_loss
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.decode import boundary_distances
from latentveil.tasks.detection.model import LevelOutput
from latentveil.tasks.detection.points import DetectionTarget, assign_points, make_points

SMALLEST_IOU = 1e-6  # IoU^power has no gradient at 0


@dataclass(frozen=True)
class Assignment:
    """What the points of all levels must answer, level after level: P points of each of B videos, C classes.

    Shapes: ``classes`` (B, P, C), 0 or 1; ``distances`` (B, P, 2) to start and end, in strides; ``valid`` (B, P), True
    where a point lies inside its video.
    """

    classes: Tensor
    distances: Tensor
    valid: Tensor

    @property
    def positive(self) -> Tensor:
        """Which points answer for a segment, (B, P) bool."""
        return (self.classes > 0).any(dim=2) & self.valid

    @property
    def num_positive(self) -> int:
        """The number of points that answer for a segment."""
        return int(self.positive.sum())


def assign(outputs: Sequence[LevelOutput], target: DetectionTarget, config: TriDetConfig) -> Assignment:
    """Assign the segments of each video to the points of the levels that gave ``outputs``."""
    device, num_classes = outputs[0].logits.device, outputs[0].logits.shape[1]
    points = make_points([output.mask.shape[1] for output in outputs], config, device=device)
    pairs = [
        assign_points(
            points,
            segments.to(device),
            classes.to(device),
            num_classes=num_classes,
            centre_radius=config.centre_radius,
        )
        for segments, classes in zip(target.segments, target.classes)
    ]
    classes, distances = (torch.stack(parts) for parts in zip(*pairs))
    return Assignment(classes, distances, valid=torch.cat([output.mask for output in outputs], dim=1))


def detection_loss(
    outputs: Sequence[LevelOutput], assignment: Assignment, normaliser: Tensor | float, config: TriDetConfig
) -> dict[str, Tensor]:
    """The terms of the loss by name, divided as ``config.normalisation`` says; their sum is what is minimised.

    ``normaliser`` is the running number of positive points.
    """
    lengths = [output.mask.shape[1] for output in outputs]
    class_weight, predicted, wanted = [], [], []
    for output, hot, distances in zip(
        outputs, assignment.classes.split(lengths, dim=1), assignment.distances.split(lengths, dim=1)
    ):
        video, time, label = torch.nonzero((hot > 0) & output.mask[:, :, None], as_tuple=True)  # (K,) each
        predicted.append(boundary_distances(output, video, time, label))  # (K, 2)
        wanted.append(distances[video, time])
        quality = anchored_iou(predicted[-1], wanted[-1]).clamp(min=SMALLEST_IOU) ** config.iou_weight_power
        if not config.iou_weight_gradient:
            quality = quality.detach()
        class_weight.append(torch.ones_like(hot).index_put((video, time, label), quality))  # (B, T, C)
    logits = torch.cat([output.logits.transpose(1, 2) for output in outputs], dim=1)  # (B, P, C)
    for_positive, for_others = _divisors(assignment, normaliser, config)
    share = torch.where(assignment.positive, 1 / for_positive, 1 / for_others)[:, :, None]  # (B, P, 1)
    classification = focal_loss(
        logits[assignment.valid],
        assignment.classes[assignment.valid],
        weight=(torch.cat(class_weight, dim=1) * share)[assignment.valid],
        alpha=config.focal_alpha,
        gamma=config.focal_gamma,
    )
    boundary_loss = distance_iou_loss if config.regression == "distance" else iou_loss
    regression = boundary_loss(torch.cat(predicted), torch.cat(wanted))
    return {
        "classification": classification,
        "regression": config.regression_weight * regression / for_positive,
    }


def _divisors(
    assignment: Assignment, normaliser: Tensor | float, config: TriDetConfig
) -> tuple[Tensor, Tensor]:
    """What the terms of positive points and those of all other points are divided by."""
    if config.normalisation == "running":
        running = torch.as_tensor(normaliser, dtype=torch.float32, device=assignment.valid.device)
        return running, running
    others = assignment.valid & ~assignment.positive
    return assignment.positive.sum().clamp(min=1), others.sum().clamp(min=1)
